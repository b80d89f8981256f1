// Colours a .mech text: Scintilla asks for a stretch, the language's own parser says what every token is.
#pragma once

#include <Qsci/qscilexercustom.h>

namespace mw::app {

class MechLexer : public QsciLexerCustom {
    Q_OBJECT
public:
    enum Style { plain, comment, string, number, head, property, name, punctuation, wrong };

    explicit MechLexer(QObject* parent = nullptr);
    const char* language() const override { return "mech"; }
    QString description(int style) const override;
    void styleText(int start, int end) override;
    QColor defaultColor(int style) const override;
    QColor defaultPaper(int style) const override;
    QFont defaultFont(int style) const override;
    void refreshStyle();  ///< after a change of theme or scale

private:
    std::string parsed_;
    std::vector<std::pair<int, char>> runs_;  // end offset, style
};

}  // namespace mw::app
