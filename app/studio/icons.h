// Our icons: SVG files drawn in the text colour of the present theme, sharp at any scale.
#pragma once

#include <QIcon>
#include <QPixmap>
#include <QString>

#include "engine/model/model.h"

namespace mw::app {

/// An icon of assets/icons by name; it follows the theme by itself. Checked or selected: accent; disabled: faded.
QIcon icon(const QString& name);
/// The same in a given colour, as pixels for a device pixel ratio.
QPixmap iconPixmap(const QString& name, const QColor& color, int size, double ratio);
/// The name of a joint's icon.
QString jointIcon(JointType type);

}  // namespace mw::app
