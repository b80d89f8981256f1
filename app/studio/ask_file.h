// Asks where to save: the dialog completes the name before it looks for a file of that name, so that nothing is
// replaced without a question.
#pragma once

#include <QString>

class QWidget;

namespace mw::app {

/// The chosen path, empty when the person thought better of it. `start` is a folder with a proposed name; a name
/// without ending gets the one of the chosen filter (its first pattern), or `suffix` where the filter names none.
QString askWhereToSave(QWidget* parent, const QString& title, const QString& start, const QString& filters,
                       const QString& suffix);

}  // namespace mw::app
