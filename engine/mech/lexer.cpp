// Cuts a text into tokens without losing a byte. Outside parentheses a word may have hyphens and dots inside
// (`joint-damping`, `arm.2`); inside them, and in the expression of a `let`, a hyphen is a minus.
#include "engine/mech/lexer.h"

#include <fmt/format.h>

namespace mw::mech {
namespace {

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
constexpr bool isPunctuation(char c) {
    return c == '(' || c == ')' || c == '+' || c == '-' || c == '*' || c == '/' || c == '^' || c == '=' || c == ',';
}

/// Length of the letter at `at` that is not an English one (Latin with marks, Greek, Cyrillic), 0 when it is none. Two
/// bytes each in UTF-8; × and ÷ lie among them.
std::size_t foreignLetter(const std::string& text, std::size_t at) {
    if (at + 1 >= text.size()) return 0;
    const auto lead = static_cast<unsigned char>(text[at]), next = static_cast<unsigned char>(text[at + 1]);
    if (lead < 0xC3 || lead > 0xD4 || (next & 0xC0) != 0x80) return 0;
    return lead == 0xC3 && (next == 0x97 || next == 0xB7) ? 0 : 2;
}

class Lexer {
public:
    Lexer(const std::string& text) : text_(text) {}

    /// Calls `token(kind, begin, end)` for each.
    template <class Sink>
    void run(Sink&& token) {
        if (text_.compare(0, 3, "\xEF\xBB\xBF") == 0) {
            token(TokenKind::space, 0, 3);
            at_ = 3;
        }
        while (at_ < text_.size()) {
            const std::size_t begin = at_;
            const TokenKind kind = next();
            if (kind == TokenKind::newline) {
                depth_ = 0;
                line_start_ = true;
                let_ = false;
            } else if (kind != TokenKind::space) {
                if (line_start_)
                    let_ = kind == TokenKind::word && at_ - begin == 3 && text_.compare(begin, 3, "let") == 0;
                line_start_ = false;
            }
            token(kind, begin, at_);
        }
    }

private:
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    TokenKind next() {
        const char c = text_[at_];
        if (c == '\n' || (c == '\r' && peek(1) == '\n')) {
            at_ += c == '\n' ? 1 : 2;
            return TokenKind::newline;
        }
        if (isSpace(c)) {
            while (at_ < text_.size() && isSpace(text_[at_]) && !(text_[at_] == '\r' && peek(1) == '\n')) ++at_;
            return TokenKind::space;
        }
        if (c == '#') {
            lineEnd();
            return TokenKind::comment;
        }
        if (c == '"') {
            ++at_;
            while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n' &&
                   !(text_[at_] == '\r' && peek(1) == '\n'))
                ++at_;
            if (peek() == '"' && at_ < text_.size()) ++at_;
            return TokenKind::string;
        }
        if (isLetter(c) || foreignLetter(text_, at_) > 0) return word() ? TokenKind::word : TokenKind::invalid;
        if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
            number();
            return TokenKind::number;
        }
        if (isPunctuation(c)) {
            if (c == '(') ++depth_;
            if (c == ')' && depth_ > 0) --depth_;
            ++at_;
            return TokenKind::punctuation;
        }
        while (at_ < text_.size() && invalid(text_[at_])) ++at_;
        if (at_ < text_.size() && text_[at_] == '.') ++at_;  // a dot alone
        return TokenKind::invalid;
    }

    static bool invalid(char c) {
        return c != '\n' && c != '.' && !isSpace(c) && c != '#' && c != '"' && !isLetter(c) && !isDigit(c) &&
               !isPunctuation(c);
    }

    void lineEnd() {
        while (at_ < text_.size() && text_[at_] != '\n' && !(text_[at_] == '\r' && peek(1) == '\n')) ++at_;
    }

    // Takes in letters of other alphabets too, so that a name with one is one finding and not three. Is it a word?
    bool word() {
        const bool expression = depth_ > 0 || let_;
        bool good = true;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (isLetter(c) || isDigit(c)) {
                ++at_;
            } else if (const std::size_t foreign = foreignLetter(text_, at_)) {
                at_ += foreign;
                good = false;
            } else if ((c == '-' && !expression && isLetter(peek(1))) ||
                       (c == '.' && (isLetter(peek(1)) || isDigit(peek(1))))) {
                at_ += 2;
            } else {
                break;
            }
        }
        return good;
    }

    // Takes in letters as well, so that `10mm` is one bad number and not a number and a name.
    void number() {
        bool exponent = false;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if ((c == '+' || c == '-') && exponent && isDigit(peek(1))) {
                ++at_;
                exponent = false;
            } else if (isDigit(c) || c == '.') {
                ++at_;
                exponent = false;
            } else if (isLetter(c)) {
                exponent = (c == 'e' || c == 'E') && (isDigit(text_[at_ - 1]) || text_[at_ - 1] == '.');
                ++at_;
            } else {
                break;
            }
        }
    }

    const std::string& text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool line_start_ = true;
    bool let_ = false;
};

// First byte that is not well-formed UTF-8, text.size() when all is.
std::size_t malformed(const std::string& text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t i = 0;
    while (i < text.size()) {
        const unsigned char lead = byte(i);
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const std::size_t want = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
        if (want == 0 || i + want > text.size()) return i;
        for (std::size_t k = 1; k < want; ++k)
            if ((byte(i + k) & 0xC0) != 0x80) return i;
        const unsigned char second = byte(i + 1);
        if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) || (lead == 0xF0 && second < 0x90) ||
            (lead == 0xF4 && second >= 0x90))
            return i;
        i += want;
    }
    return i;
}

void reportInvalid(const std::string& text, TextRange range, Findings& findings) {
    const std::string_view found = std::string_view(text).substr(range.begin, range.end - range.begin);
    Diagnostic& d = findings.error(Code::bad_character, range, fmt::format("{} has no meaning here", quote(found)));
    // Look-alikes that come from word processors and web pages.
    if (found == "\xE2\x88\x92" || found == "\xE2\x80\x93" || found == "\xE2\x80\x94") {
        d.remedy = "write a plain minus";
        d.fix = {{range, "-"}};
    } else if (found == "\xC2\xA0" || found == "\xE2\x80\xAF" || found == "\xE2\x80\x89") {
        d.remedy = "write a plain space";
        d.fix = {{range, " "}};
    } else if (found == "\xC2\xB7" || found == "\xC3\x97") {
        d.remedy = "write * for a product";
        d.fix = {{range, "*"}};
    } else if (found == "\xC2\xB0") {
        d.remedy = "angles are in radians; write (90*deg) for degrees";
    } else {
        d.remedy =
            "names and keywords use a to z, A to Z, digits and _; anything may stand in a comment or a quoted text";
    }
}

}  // namespace

void lex(SyntaxTree& tree, Findings& findings) {
    const std::string& text = tree.text;
    if (text.size() > (std::size_t{1} << 20)) {
        // A large text is cut twice: growing the list of tokens would hold it twice in memory.
        std::size_t count = 0;
        Lexer(text).run([&](TokenKind, std::size_t, std::size_t) { ++count; });
        tree.tokens.reserve(count);
    }
    Lexer(text).run([&](TokenKind kind, std::size_t begin, std::size_t end) {
        Token token;
        token.begin = static_cast<std::uint32_t>(begin);
        token.length = static_cast<std::uint32_t>(end - begin) & 0xFFFFFFFu;
        token.kind = kind;
        tree.tokens.push_back(token);
        if (kind == TokenKind::invalid) reportInvalid(text, {begin, end}, findings);
        if (kind == TokenKind::string && (end - begin < 2 || text[end - 1] != '"')) {
            Diagnostic& d =
                findings.error(Code::unclosed_string, {begin, end}, "a quoted text does not end on its line");
            d.expected = "\" at its end";
            d.remedy = "close it";
            d.fix = {{{end, end}, "\""}};
        }
    });
    const std::size_t bad = malformed(text);
    if (bad < text.size())
        findings.warning(Code::not_utf8, {bad, bad + 1}, "the text is not well-formed UTF-8 from here on").remedy =
            "save it as UTF-8";
}

}  // namespace mw::mech
