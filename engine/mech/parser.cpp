// From tokens to statements and properties, guided by the keyword table. Whatever the text holds, a tree comes out.
#include <algorithm>
#include <fmt/format.h>

#include "engine/mech/lexer.h"
#include "engine/mech/values.h"

namespace mw::mech {

TextRange SyntaxTree::range(int begin, int end) const {
    const int first = begin;
    while (begin < end && token(begin).kind == TokenKind::space) ++begin;
    while (end > begin && token(end - 1).kind == TokenKind::space) --end;
    if (begin < end) return {token(begin).begin, token(end - 1).range().end};
    const std::size_t place = first > 0 ? token(first - 1).range().end : 0;
    return {place, place};
}

TextRange SyntaxTree::range(const Property& property) const {
    return range(property.word >= 0 ? property.word : property.begin, std::max(property.end, property.word + 1));
}

const Statement* SyntaxTree::find(NameSpace space, std::string_view name) const {
    const NameMap& map = names[static_cast<std::size_t>(space)];
    const auto found = map.find(name);
    return found == map.end() ? nullptr : &statements[static_cast<std::size_t>(found->second)];
}

TextRange SyntaxTree::nameRange(const Statement& statement) const {
    if (!statement.spec || statement.spec->defines == NameSpace::none || statement.properties.empty()) return {};
    const Property& head = statement.properties.front();
    const int at = skipSpace(*this, head.begin, head.end);
    return at < head.end && token(at).kind == TokenKind::word ? token(at).range() : TextRange{};
}

const Statement* SyntaxTree::first(std::string_view head) const {
    for (const Statement& statement : statements)
        if (statement.spec && head == statement.spec->head) return &statement;
    return nullptr;
}

const Statement* SyntaxTree::at(std::size_t offset) const {
    const auto after = std::upper_bound(statements.begin(), statements.end(), offset,
                                        [](std::size_t o, const Statement& s) { return o < s.range.begin; });
    return after == statements.begin() ? nullptr : &*(after - 1);
}

std::string lineEnding(const std::string& text) {
    const std::size_t newline = text.find('\n');
    return newline != std::string::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

namespace {

class Parser {
public:
    Parser(SyntaxTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

    void run() {
        line_end_ = lineEnding(tree_.text);
        findHeads();
        for (Statement& statement : tree_.statements) parse(statement);
    }

private:
    /// First pass: where statements begin, and the names they define.
    void findHeads() {
        const int count = stop_ = static_cast<int>(tree_.tokens.size());
        bool told = false;
        for (int at = 0; at < count;) {
            const int limit = lineLimit(tree_, at);
            const int first = skipSpace(tree_, at, limit);
            if (first < limit) {
                const bool word = tree_.token(first).kind == TokenKind::word;
                const StatementSpec* spec = word ? findStatement(tree_.view(first)) : nullptr;
                if (spec && tree_.statements.size() >= kMostStatements) {
                    findings_
                        .error(Code::too_many_statements, tree_.token(first).range(),
                               fmt::format("the text has more than {} statements", kMostStatements))
                        .remedy = "the rest was not read";
                    stop_ = first;
                    break;
                }
                if (spec) {
                    addHead(*spec, first, limit);
                } else if (tree_.statements.empty() && !told) {
                    told = true;  // one finding for all that stands before the first statement
                    strayLine(first, limit);
                }
            }
            // A comment ends a line's words, its newline the line.
            at = limit;
            while (at < count && tree_.token(at).kind != TokenKind::newline) ++at;
            ++at;
        }
    }

    void addHead(const StatementSpec& spec, int first, int limit) {
        Statement statement;
        statement.keyword = first;
        statement.spec = &spec;
        if (spec.defines != NameSpace::none) {
            const int name = skipSpace(tree_, first + 1, limit);
            if (name < limit && tree_.token(name).kind == TokenKind::word)
                tree_.names[static_cast<std::size_t>(spec.defines)].emplace(tree_.view(name),
                                                                            static_cast<int>(tree_.statements.size()));
        }
        tree_.statements.push_back(std::move(statement));
    }

    void strayLine(int first, int limit) {
        if (tree_.token(first).kind == TokenKind::invalid) return;
        Diagnostic& d = findings_.error(Code::unknown_keyword, tree_.range(first, limit),
                                        fmt::format("{} belongs to no statement", quote(tree_.view(first))));
        d.expected = "a statement, such as `mech 1`";
        d.range = tree_.token(first).range();
        if (tree_.token(first).kind == TokenKind::word) findings_.suggest(d, tree_.view(first), heads());
    }

    static const std::vector<std::string_view>& heads() {
        static const std::vector<std::string_view> words = [] {
            std::vector<std::string_view> list;
            for (const StatementSpec& s : mech::statements()) list.emplace_back(s.head);
            return list;
        }();
        return words;
    }

    void parse(Statement& statement) {
        const std::size_t index = static_cast<std::size_t>(&statement - tree_.statements.data());
        const int stop = index + 1 < tree_.statements.size() ? tree_.statements[index + 1].keyword : stop_;
        element_ = nullptr;
        misspelt_ = false;
        seen_.assign(statement.spec->properties.size(), 0);
        int limit = lineLimit(tree_, statement.keyword);

        bindValues(place(statement), statement.spec->values, statement.spec->head, statement.keyword + 1, limit,
                   &findings_, binding_);
        Property head;
        head.begin = statement.keyword + 1;
        head.end = std::max(head.begin, binding_.end);
        head.faulty = binding_.faulty;
        statement.properties.push_back(head);
        int last = std::max(statement.keyword + 1, head.end);
        line(statement, last, limit, false, last);

        for (int at = nextLine(limit); at < stop; at = nextLine(limit)) {
            element_ = nullptr;
            limit = std::min(stop, lineLimit(tree_, at));
            if (misspelt_) {
                // These lines belong to a statement whose keyword is misspelt, not to this one: one finding is enough.
                skip(statement, at, limit);
            } else {
                const int before = last;
                line(statement, at, limit, true, last);
                if (misspelt_) last = before;
            }
            if (statement.properties.size() > kMostProperties) {
                findings_
                    .error(Code::too_many_properties, tree_.token(at).range(),
                           fmt::format("'{}' has more than {} properties", statement.spec->head, kMostProperties))
                    .remedy = "the rest was not read";
                break;
            }
        }
        statement.range = {tree_.token(statement.keyword).begin, tree_.range(statement.keyword, last).end};
        if (statement.spec->availability != Availability::not_yet) checkPresence(statement);
    }

    int nextLine(int at) const {
        const int count = static_cast<int>(tree_.tokens.size());
        while (at < count && tree_.token(at).kind != TokenKind::newline) ++at;
        return std::min(at + 1, count);
    }

    Place place(const Statement& statement) const { return {tree_, *statement.spec, element_}; }

    /// The properties of [at, limit); `last` follows the end of what was read.
    void line(Statement& statement, int at, int limit, bool line_start, int& last) {
        while ((at = skipSpace(tree_, at, limit)) < limit && statement.properties.size() <= kMostProperties) {
            const bool word = tree_.token(at).kind == TokenKind::word;
            const std::string_view text = tree_.view(at);
            const PropertySpec* own = word && element_ ? findOwn(*element_, text) : nullptr;
            const PropertySpec* spec = own ? own : word ? statement.spec->find(text) : nullptr;
            Property property;
            property.word = at;
            property.begin = at + 1;
            if (spec) {
                if (!own) element_ = spec->own.empty() ? nullptr : spec;
                bindValues(place(statement), spec->values, spec->word, at + 1, limit, &findings_, binding_);
                property.spec = spec;
                property.own = own != nullptr;
                property.element = element_;
                property.end = std::max(property.begin, binding_.end);
                property.faulty = binding_.faulty;
                if (!own) checkRepeat(statement, property);
                statement.properties.push_back(property);
                at = property.end;
            } else {
                const int from = at;
                do ++at;
                while (at < limit &&
                       (tree_.token(at).kind == TokenKind::space || !isPropertyWord(place(statement), at)));
                property.end = at;
                property.faulty = true;
                unexpected(statement, from, at, line_start);
                if (word) statement.properties.push_back(property);
            }
            line_start = false;
            last = std::max(last, at);
            if (misspelt_) {
                statement.properties.back().end = limit;
                return;
            }
        }
    }

    void skip(Statement& statement, int at, int limit) {
        const int first = skipSpace(tree_, at, limit);
        if (first >= limit) return;
        Property property;
        property.word = first;
        property.begin = first + 1;
        property.end = limit;
        property.faulty = true;
        statement.properties.push_back(property);
    }

    void checkRepeat(const Statement& statement, const Property& property) {
        if (property.spec->repeatable) return;
        if (++seen_[static_cast<std::size_t>(property.spec - statement.spec->properties.data())] != 2) return;
        Diagnostic& d =
            findings_.error(Code::repeated_property, tree_.range(property),
                            fmt::format("'{}' stands twice in this {}", property.spec->word, statement.spec->head));
        d.expected = "each property once";
        d.remedy = "remove one of the two";
    }

    /// Tokens [from, to) that are neither a known property nor values due.
    void unexpected(const Statement& statement, int from, int to, bool line_start) {
        const TextRange range = tree_.range(from, to);
        const TextRange token = tree_.token(from).range();
        if (tree_.token(from).kind == TokenKind::invalid) return;  // said by the lexer
        const char* head = statement.spec->head;
        const bool word = tree_.token(from).kind == TokenKind::word;
        const std::string_view text = tree_.view(from);
        if (word && std::string_view(head) == "ground" && (text == "x" || text == "y" || text == "z")) {
            oldGround(statement, range, text, std::string(tree_.view(tree_.range(from + 1, to))));
            return;
        }
        const bool value = word && tree_.names[static_cast<std::size_t>(NameSpace::value)].contains(text);
        if (!word || value || (!line_start && findStatement(text))) {
            if (text == ")") {
                Diagnostic& d =
                    findings_.error(Code::stray_parenthesis, token, "a closing parenthesis without an opening one");
                d.remedy = "remove it";
                d.fix = {{token, ""}};
                return;
            }
            const Property& before = statement.properties.back();
            // What is left of values that did not fit is no finding of its own.
            if (before.faulty && !line_start && !(word && !value)) return;
            const std::string owner(line_start || !before.spec ? head : before.spec->word);
            const bool new_statement = word && !value;
            Diagnostic& d = findings_.error(
                Code::extra_value, range,
                new_statement ? fmt::format("a statement begins in the middle of a line: {}", quote(text))
                : line_start  ? fmt::format("a line of {} begins with {}", quote(head), quote(text))
                              : fmt::format("'{}' has a value too many: {}", owner, quote(tree_.view(range))));
            if (new_statement) {
                d.remedy = "begin a new line";
                d.fix = {{{token.begin, token.begin}, line_end_}};
            } else if (line_start) {
                d.expected = "a property or a statement";
            } else {
                if (text == ",") d.remedy = "a number has a decimal point, and values stand apart by spaces";
                d.expected = before.spec ? signature(before.spec->word, before.spec->values)
                                         : signature(head, statement.spec->values);
            }
            return;
        }
        Diagnostic& d = findings_.error(
            Code::unknown_keyword, token,
            fmt::format("{} is no property of '{}'{}", quote(text), head, line_start ? " and no statement" : ""));
        std::vector<std::string_view> words;
        for (const PropertySpec& p : statement.spec->properties) words.push_back(p.word);
        if (element_)
            for (const PropertySpec& p : element_->own) words.push_back(p.word);
        if (line_start) words.insert(words.end(), heads().begin(), heads().end());
        std::string owners;
        for (const PropertySpec& p : statement.spec->properties)
            if (findOwn(p, text)) owners += fmt::format("{}'{}'", owners.empty() ? "" : " or ", p.word);
        if (!owners.empty()) d.remedy = fmt::format("'{}' belongs to a {}, on the same line", text, owners);
        if (d.remedy.empty()) findings_.suggest(d, text, words);
        misspelt_ = line_start && !d.fix.empty() && findStatement(d.fix.front().text) != nullptr;
        if (d.remedy.empty()) d.expected = expectedWords(*statement.spec);
    }

    /// `ground z -0.55`. Inside a track, where it stood of old, what follows on other lines belongs to the track: there
    /// the line goes, and the ground becomes a statement at the end of the text.
    void oldGround(const Statement& statement, TextRange range, std::string_view axis, const std::string& level) {
        Diagnostic& d = findings_.error(Code::old_form, range,
                                        fmt::format("{} is the old form of a ground", quote(tree_.view(range))));
        d.expected = "plane nx ny nz d";
        if (axis != "z") {
            d.remedy = "a ground is a plane with a normal that points up: plane 0 0 1 0";
            return;
        }
        const std::string plane = fmt::format("plane 0 0 1 {}", level.empty() ? "0" : level);
        d.remedy = fmt::format("write `{}`", plane);
        d.fix = {{range, plane}};
        const std::size_t index = static_cast<std::size_t>(&statement - tree_.statements.data());
        if (index == 0 || std::string_view(tree_.statements[index - 1].spec->head) != "track") return;
        d.remedy = fmt::format("write it as a statement of its own, behind the track: ground, then `{}`", plane);
        // The whole line, unless something else stands on it.
        std::size_t begin = tree_.token(statement.keyword).begin, end = range.end;
        std::size_t left = begin, right = end;
        while (left > 0 && (tree_.text[left - 1] == ' ' || tree_.text[left - 1] == '\t')) --left;
        while (right < tree_.text.size() &&
               (tree_.text[right] == ' ' || tree_.text[right] == '\t' || tree_.text[right] == '\r'))
            ++right;
        const bool alone =
            (left == 0 || tree_.text[left - 1] == '\n') && (right == tree_.text.size() || tree_.text[right] == '\n');
        if (alone) begin = left, end = std::min(right + 1, tree_.text.size());
        d.fix = {{{begin, end}, ""}};
        if (tree_.first("ground") != &statement) return;  // one is enough
        const std::size_t last = tree_.text.size();
        const bool fresh = tree_.text.empty() || tree_.text.back() == '\n';
        d.fix.push_back({{last, last}, fmt::format("{0}ground{1}  {2}{1}", fresh ? "" : line_end_, line_end_, plane)});
    }

    static std::string expectedWords(const StatementSpec& spec) {
        if (spec.properties.empty()) return fmt::format("nothing more after `{}`", signature(spec.head, spec.values));
        std::string text = "one of ";
        std::size_t count = 0;
        for (const PropertySpec& p : spec.properties) {
            if (count++ > 0) text += ", ";
            if (count > 12) return text + "…";
            text += p.word;
        }
        return text;
    }

    /// Required properties, and groups of which one must, or only one may, stand.
    void checkPresence(const Statement& statement) {
        const TextRange head_range = {
            tree_.token(statement.keyword).begin,
            std::max(tree_.token(statement.keyword).range().end, tree_.range(statement.properties[0]).end)};
        const TextRange own_name = tree_.nameRange(statement);
        const std::string name = own_name.end > 0
                                     ? fmt::format("{} {}", statement.spec->head, quote(tree_.view(own_name)))
                                     : statement.spec->head;
        for (std::size_t i = 0; i < statement.spec->properties.size(); ++i) {
            const PropertySpec& spec = statement.spec->properties[i];
            if (!spec.required || seen_[i] > 0) continue;
            Diagnostic& d =
                findings_.error(Code::missing_property, head_range, fmt::format("{} has no '{}'", name, spec.word));
            d.expected = signature(spec.word, spec.values);
            const std::string sample = sampleOf(statement, spec);
            d.remedy = fmt::format("add `{}`", sample);
            const std::size_t end = lineEnd(statement);
            if (sample.find("BODY") == std::string::npos && sample.find("TENDON") == std::string::npos)
                d.fix = {{{end, end}, fmt::format("{}  {}", line_end_, sample)}};
        }
        const std::string_view group = statement.spec->group_required;
        if (group.empty()) return;
        const Property* first = nullptr;
        std::string words;
        for (const PropertySpec& spec : statement.spec->properties)
            if (group == spec.group) words += fmt::format("{}{}", words.empty() ? "" : ", ", spec.word);
        for (const Property& property : statement.properties) {
            if (!property.spec || property.own || group != property.spec->group) continue;
            if (first && first->spec != property.spec) {
                Diagnostic& d = findings_.error(
                    Code::conflicting_properties, tree_.range(property),
                    fmt::format("{} has both '{}' and '{}'", name, first->spec->word, property.spec->word));
                d.expected = "one of " + words;
                d.remedy = "remove one of the two";
            }
            if (!first) first = &property;
        }
        if (!first) {
            Diagnostic& d = findings_.error(Code::missing_property, head_range,
                                            fmt::format("{} says nothing of its {}", name, group));
            d.expected = "one of " + words;
        }
    }

    /// The text that a missing property is mended with. BODY, where base would not do, and TENDON are the last one
    /// before the statement when there is one.
    std::string sampleOf(const Statement& statement, const PropertySpec& spec) const {
        std::string sample = spec.sample;
        for (const auto& [blank, space] :
             {std::pair<std::string_view, NameSpace>{"BODY", NameSpace::body}, {"TENDON", NameSpace::tendon}}) {
            const std::size_t at = sample.find(blank);
            if (at == std::string::npos) continue;
            for (std::size_t i = static_cast<std::size_t>(&statement - tree_.statements.data()); i-- > 0;) {
                const Statement& other = tree_.statements[i];
                const TextRange name = other.spec->defines == space ? tree_.nameRange(other) : TextRange{};
                if (name.end > 0) return sample.replace(at, blank.size(), tree_.view(name));
            }
        }
        return sample;
    }

    /// Where a new property line of a statement goes: the end of its last line, comment included.
    std::size_t lineEnd(const Statement& statement) const {
        const auto found = std::upper_bound(tree_.tokens.begin(), tree_.tokens.end(), statement.range.end,
                                            [](std::size_t o, const Token& t) { return o < t.range().end; });
        auto token = found;
        while (token != tree_.tokens.end() && token->kind != TokenKind::newline) ++token;
        return token == tree_.tokens.end() ? tree_.text.size() : token->begin;
    }

    SyntaxTree& tree_;
    Findings& findings_;
    Binding binding_;
    const PropertySpec* element_ = nullptr;
    std::vector<int> seen_;
    std::string line_end_;
    bool misspelt_ = false;  // the lines that follow belong to a misspelt statement
    int stop_ = 0;           // where reading ends: the end of the tokens, or the first statement too many
};

}  // namespace

SyntaxTree parse(std::string text) {
    SyntaxTree tree;
    tree.text = std::move(text);
    Findings findings;
    if (tree.text.size() > kLargestText) {
        findings.error(Code::text_too_large, {0, 0}, fmt::format("the text has {} bytes", tree.text.size())).expected =
            fmt::format("at most {} bytes", kLargestText);
    } else {
        lex(tree, findings);
        Parser(tree, findings).run();
    }
    tree.diagnostics = findings.take();
    return tree;
}

}  // namespace mw::mech
