// Styles tokens by the syntax tree: heads, property words, names, numbers, strings, comments.
#include "app/studio/mech_lexer.h"

#include <Qsci/qsciscintilla.h>
#include <algorithm>

#include "app/studio/style.h"
#include "engine/mech/keywords.h"
#include "engine/mech/syntax_tree.h"

namespace mw::app {

MechLexer::MechLexer(QObject* parent) : QsciLexerCustom(parent) { refreshStyle(); }

QString MechLexer::description(int style) const {
    static const char* names[] = {"plain",    "comment", "string",      "number", "head",
                                  "property", "name",    "punctuation", "wrong"};
    return style >= plain && style <= wrong ? QString::fromLatin1(names[style]) : QString();
}

QColor MechLexer::defaultColor(int style) const {
    const Tokens& t = tokens();
    switch (style) {
        case comment: return t.comment;
        case string: return t.string;
        case number: return t.number;
        case head:
        case property: return t.keyword;
        case punctuation: return t.secondary;
        case wrong: return t.bad;
        default: return t.text;
    }
}

QColor MechLexer::defaultPaper(int) const { return tokens().panel; }

QFont MechLexer::defaultFont(int style) const {
    QFont font = app::Style::get().monoFont();
    // Scintilla counts in points.
    font.setPointSizeF(font.pixelSize() * 72.0 / 96.0);
    if (style == comment) font.setItalic(true);
    if (style == head) font.setWeight(QFont::Medium);
    return font;
}

void MechLexer::refreshStyle() {
    setDefaultColor(tokens().text);
    setDefaultPaper(tokens().panel);
    setDefaultFont(defaultFont(plain));
    for (int style = plain; style <= wrong; ++style) {
        setColor(defaultColor(style), style);
        setPaper(defaultPaper(style), style);
        setFont(defaultFont(style), style);
    }
}

void MechLexer::styleText(int start, int end) {
    if (!editor()) return;
    const auto length = static_cast<std::size_t>(editor()->SendScintilla(QsciScintilla::SCI_GETLENGTH));
    std::string text(length + 1, '\0');
    editor()->SendScintilla(QsciScintilla::SCI_GETTEXT, length + 1, text.data());
    text.resize(length);
    if (text != parsed_ || runs_.empty()) {
        const mech::SyntaxTree tree = mech::parse(text);
        std::vector<char> style(tree.tokens.size(), plain);
        for (std::size_t i = 0; i < style.size(); ++i) switch (tree.tokens[i].kind) {
                case mech::TokenKind::comment: style[i] = comment; break;
                case mech::TokenKind::number: style[i] = number; break;
                case mech::TokenKind::string: style[i] = string; break;
                case mech::TokenKind::punctuation: style[i] = punctuation; break;
                case mech::TokenKind::invalid: style[i] = wrong; break;
                default: break;
            }
        for (const mech::Statement& statement : tree.statements) {
            if (statement.keyword >= 0) style[static_cast<std::size_t>(statement.keyword)] = head;
            for (const mech::Property& p : statement.properties)
                if (p.word >= 0) style[static_cast<std::size_t>(p.word)] = property;
        }
        runs_.clear();
        for (std::size_t i = 0; i < style.size(); ++i)
            runs_.emplace_back(static_cast<int>(tree.tokens[i].range().end), style[i]);
        parsed_ = std::move(text);
    }
    startStyling(start);
    auto run = std::upper_bound(runs_.begin(), runs_.end(), start, [](int at, const auto& r) { return at < r.first; });
    int at = start;
    for (; run != runs_.end() && at < end; ++run) {
        const int stop = std::min(end, run->first);
        setStyling(stop - at, run->second);
        at = stop;
    }
    if (at < end) setStyling(end - at, plain);
}

}  // namespace mw::app
