// The formatter: works line by line on tokens, so that faulty texts come out as sound as they went in.
#include "engine/mech/format.h"

#include <algorithm>
#include <unordered_set>

#include "engine/mech/values.h"

namespace mw::mech {
namespace {

std::string_view withoutTail(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r' || text.back() == '\v' ||
                             text.back() == '\f'))
        text.remove_suffix(1);
    return text;
}

class Formatter {
public:
    explicit Formatter(const SyntaxTree& tree) : tree_(tree) {
        for (const Statement& statement : tree.statements) {
            heads_.insert(statement.keyword);
            for (const Property& property : statement.properties)
                if (property.word >= 0 && (!property.own || standApart(*property.element)))
                    properties_.insert(property.word);
        }
    }

    std::string run() {
        const int count = static_cast<int>(tree_.tokens.size());
        out_.reserve(tree_.text.size() + 64);
        int at = 0;
        if (tree_.text.compare(0, 3, "\xEF\xBB\xBF") == 0) {
            out_ = "\xEF\xBB\xBF";
            at = 1;
        }
        // A stray byte order mark is a fault; moved to the very beginning it would be none, so such a text stays as it
        // is.
        const std::size_t content = tree_.text.find_first_not_of(" \t\r\n");
        if (content != std::string::npos && content > 0 && tree_.text.compare(content, 3, "\xEF\xBB\xBF") == 0)
            return tree_.text;
        while (at < count) {
            int end = at;
            while (end < count && tree_.token(end).kind != TokenKind::newline) ++end;
            line(at, end, end < count ? tree_.view(end) : std::string_view{});
            at = end + 1;
        }
        return std::move(out_);
    }

private:
    void line(int begin, int end, std::string_view newline) {
        const int first = skipSpace(tree_, begin, end);
        if (first == end) {  // blank: one in a row, none at the beginning
            if (!blank_ && started_) out_ += newline;
            blank_ = true;
            return;
        }
        blank_ = false;
        started_ = true;
        const bool head = heads_.contains(first);
        if (head) in_statement_ = true;
        if (tree_.token(first).kind == TokenKind::comment) {
            // A comment line stands at the margin, or with the properties where its author moved it in.
            if (first > begin && in_statement_) out_ += "  ";
            out_ += withoutTail(tree_.view(first));
            out_ += newline;
            return;
        }
        const std::size_t line_begin = out_.size();
        if (!head && in_statement_) out_ += "  ";
        int depth = 0;
        for (int i = first; i < end; ++i) {
            const Token& token = tree_.token(i);
            if (token.kind == TokenKind::space) continue;
            if (token.kind == TokenKind::comment) {
                comment(i, line_begin, begin);
                break;
            }
            const std::string_view text = tree_.view(i);
            const bool spaced = i > first && tree_.token(i - 1).kind == TokenKind::space;
            if (spaced) out_ += depth == 0 && properties_.contains(i) && wide(i - 1) ? "  " : " ";
            if (text == "(") ++depth;
            if (text == ")" && depth > 0) --depth;
            out_ += text;
        }
        out_ += newline;
    }

    // An element's flags and a single word stay close to it (`roller front 0.3 end driven`); the several words of a
    // tendon's guide may stand apart.
    static bool standApart(const PropertySpec& element) {
        return element.own.size() > 1 && std::none_of(element.own.begin(), element.own.end(),
                                                      [](const PropertySpec& own) { return own.values.empty(); });
    }

    // A property may stand one space behind the last, or apart from it.
    bool wide(int space) const { return tree_.token(space).length > 1 || tree_.view(space) == "\t"; }

    // Comments that stood under each other still do, where there is room.
    void comment(int token, std::size_t line_begin, int line_first) {
        const std::size_t begin = tree_.token(line_first).begin;
        const int column = codePoints(tree_.text, {begin, tree_.token(token).begin});
        const int used = codePoints(out_, {line_begin, out_.size()});
        out_.append(static_cast<std::size_t>(std::max(2, column - used)), ' ');
        out_ += withoutTail(tree_.view(token));
    }

    const SyntaxTree& tree_;
    std::unordered_set<int> heads_, properties_;
    std::string out_;
    bool blank_ = false, started_ = false, in_statement_ = false;
};

}  // namespace

std::string formatText(const SyntaxTree& tree) {
    if (tree.text.size() > kLargestText) return tree.text;
    std::string formatted = Formatter(tree).run();
    return formatted.size() > kLargestText ? tree.text : formatted;  // wider spacing may not make it unreadable
}

std::string formatText(const std::string& text) { return formatText(parse(text)); }

}  // namespace mw::mech
