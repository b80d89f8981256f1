// Reads one expression from tokens: a recursive descent that computes the value and, where a live parameter or the time
// is in it, builds the small expression that stays in the Model.
#pragma once

#include <string>

#include "engine/model/scope.h"

namespace mw::mech {

class ExpressionReader {
public:
    ExpressionReader(Scope& scope, int begin, int end) : scope_(scope), tree_(scope.tree_), at_(begin), end_(end) {}
    Evaluated run(bool whole);

private:
    Evaluated sum();
    Evaluated product();
    Evaluated signedPower();
    Evaluated primary();
    Evaluated literal();
    Evaluated name();
    Evaluated call(int function, int arguments);
    Evaluated unary(Expression::Op op, Evaluated a);
    Evaluated binary(Expression::Op op, Evaluated a, Evaluated b);
    Evaluated bounded(Evaluated e);

    char punctuation();
    bool deeper();
    Evaluated fail(Code code, int token, std::string message, std::string expected = {});
    void unknown(int token, bool below);

    Scope& scope_;
    const SyntaxTree& tree_;
    int at_;
    int end_;
    int nesting_ = 0;
    bool failed_ = false;
};

}  // namespace mw::mech
