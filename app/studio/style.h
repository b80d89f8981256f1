// The look of the studio: palette and style sheet made from the theme's tokens, live switch of theme and interface
// scale.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>

#include "app/scene/theme.h"

namespace mw::app {

/// The tokens of the present theme as Qt colours.
struct Tokens {
    QColor window, panel, raised, border, view_top, view_bottom, text, secondary, accent, good, caution, bad, halo;
    QColor hover, selected, on_accent, keyword, number, comment, string, current_line;
};

class Style : public QObject {
    Q_OBJECT
public:
    static Style& get();

    const Tokens& tokens() const { return tokens_; }
    bool dark() const { return dark_; }
    double scale() const { return scale_; }
    void setDark(bool dark);
    void setScale(double scale);
    /// Installs fonts, palette and style sheet; called once at the start.
    void install();

    int px(double at_scale_one) const;
    QFont interfaceFont(double size = 13, bool head = false) const;
    QFont monoFont(double size = 12) const;
    const scene::Theme& theme() const;
    QColor quantity(scene::Quantity quantity) const;

signals:
    void changed();

private:
    Style() = default;
    void apply();
    QString sheet() const;
    Tokens tokens_;
    bool dark_ = true;
    double scale_ = 1;
};

inline const Tokens& tokens() { return Style::get().tokens(); }
inline int px(double at_scale_one) { return Style::get().px(at_scale_one); }

}  // namespace mw::app
