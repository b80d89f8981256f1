// Asks where to save, with the ending of the chosen filter.
#include "app/studio/ask_file.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>

namespace mw::app {

QString askWhereToSave(QWidget* parent, const QString& title, const QString& start, const QString& filters,
                       const QString& suffix) {
    const QFileInfo proposed(start);
    QFileDialog dialog(parent, title, proposed.path());
    dialog.setObjectName("ask.file");
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setNameFilters(filters.split(";;"));
    dialog.setDefaultSuffix(suffix);
    dialog.selectFile(proposed.fileName());
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, [&](const QString& filter) {
        static const QRegularExpression ending(R"(\*\.(\w+))");
        const auto match = ending.match(filter);
        dialog.setDefaultSuffix(match.hasMatch() ? match.captured(1) : suffix);
    });
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
    return dialog.selectedFiles().constFirst();
}

}  // namespace mw::app
