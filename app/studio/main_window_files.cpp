// Files: new, open, save, examples, recent ones, drops, changes on disk, backups and recovery.
#include <QCloseEvent>
#include <QDateTime>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>

#include "app/studio/ask_file.h"
#include "app/studio/examples.h"
#include "app/studio/gallery.h"
#include "app/studio/icons.h"
#include "app/studio/main_window.h"
#include "app/studio/message_bar.h"
#include "app/studio/style.h"
#include "app/studio/view_widget.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

const char* kFilter = "Mechanisms (*.mech);;All files (*)";

QString lastFolder() { return QSettings().value("files/folder").toString(); }
void keepFolder(const QString& path) { QSettings().setValue("files/folder", QFileInfo(path).absolutePath()); }

QString when(std::chrono::system_clock::time_point time) {
    const auto s = std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
    return QDateTime::fromSecsSinceEpoch(s).toString("yyyy-MM-dd hh:mm:ss");
}

}  // namespace

void MainWindow::restartBackups() { backups_ = std::make_unique<BackupSession>(); }

// Only here, with the next document at hand, does the backup of the one before go: an open that fails loses nothing. A
// recovered document's backup is already its own.
void MainWindow::setOpened(Document document, bool recovered) {
    if (!recovered) backups_->discard();
    disk_message_->hide();
    run_message_->hide();
    edit_message_->hide();
    bench_->setDocument(std::move(document));
}

void MainWindow::newDocument() { setOpened(Document(newPendulum())); }

bool MainWindow::openFile(const QString& path) {
    try {
        Document document = Document::open(QFileInfo(path).absoluteFilePath().toStdString());
        setOpened(std::move(document));
    } catch (const std::exception& fault) {
        recent_.remove(QFileInfo(path).absoluteFilePath().toStdString());
        edit_message_->say(QString::fromUtf8(fault.what()), "bad", {});
        return false;
    }
    recent_.add(QFileInfo(path).absoluteFilePath().toStdString());
    keepFolder(path);
    return true;
}

void MainWindow::openDialog() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a mechanism"), lastFolder(), kFilter);
    if (!path.isEmpty() && mayReplace()) openFile(path);
}

// An example opens as a copy without a file of its own, so that nothing done to it can spoil the original.
void MainWindow::openExample(const QString& path) {
    if (!mayReplace()) return;
    try {
        setOpened(Document(readFile(path.toStdString())));
    } catch (const std::exception& fault) {
        edit_message_->say(QString::fromUtf8(fault.what()), "bad", {});
    }
}

void MainWindow::showGallery() {
    auto* gallery = new Gallery(this);
    gallery->setAttribute(Qt::WA_DeleteOnClose);
    gallery->setModal(true);
    connect(gallery, &Gallery::chosen, this, &MainWindow::openExample, Qt::QueuedConnection);
    gallery->show();
}

bool MainWindow::save(bool replace_asked) {
    Document& document = bench_->document();
    if (!document.path()) return saveAs();
    if (!replace_asked && document.checkDisk() == Document::DiskChange::changed) {
        QMessageBox box(QMessageBox::Warning, tr("Changed on disk"),
                        tr("%1 was changed by another program since it was opened. Saving replaces that version.")
                            .arg(QString::fromStdString(document.displayName())),
                        QMessageBox::Cancel, this);
        box.setObjectName("ask.overwrite");
        box.setIconPixmap(iconPixmap("warning", tokens().caution, px(32), devicePixelRatioF()));
        auto* replace = box.addButton(tr("Save anyway"), QMessageBox::AcceptRole);
        box.exec();
        if (box.clickedButton() != replace) return false;
    }
    try {
        document.save();
    } catch (const std::exception& fault) {
        QMessageBox::warning(this, tr("Not saved"), QString::fromUtf8(fault.what()));
        return false;
    }
    backups_->discard();
    disk_message_->hide();
    refreshTitle();
    return true;
}

bool MainWindow::saveAs() {
    Document& document = bench_->document();
    const QString start =
        document.path() ? QString::fromStdString(document.path()->string()) : lastFolder() + "/untitled.mech";
    const QString path = askWhereToSave(this, tr("Save the mechanism"), start, kFilter, "mech");
    if (path.isEmpty()) return false;
    try {
        document.saveAs(path.toStdString());
    } catch (const std::exception& fault) {
        QMessageBox::warning(this, tr("Not saved"), QString::fromUtf8(fault.what()));
        return false;
    }
    backups_->discard();
    recent_.add(QFileInfo(path).absoluteFilePath().toStdString());
    keepFolder(path);
    disk_message_->hide();
    refreshTitle();
    return true;
}

bool MainWindow::mayReplace() {
    bench_->document().checkDisk();  // the file may have gone a moment ago
    if (!bench_->document().dirty()) return true;
    QMessageBox box(
        QMessageBox::Question, tr("Not saved"),
        tr("%1 has changes that are not saved.").arg(QString::fromStdString(bench_->document().displayName())),
        QMessageBox::NoButton, this);
    box.setObjectName("ask.save");
    box.setIconPixmap(iconPixmap("warning", tokens().caution, px(32), devicePixelRatioF()));
    auto* save_button = box.addButton(tr("Save"), QMessageBox::AcceptRole);
    auto* discard = box.addButton(tr("Discard"), QMessageBox::DestructiveRole);
    box.addButton(tr("Cancel"), QMessageBox::RejectRole);
    box.setDefaultButton(qobject_cast<QPushButton*>(save_button));
    box.exec();
    if (box.clickedButton() == save_button) return save();
    return box.clickedButton() == discard;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!mayReplace()) {
        event->ignore();
        return;
    }
    backups_->discard();
    keepLayout();
    bench_->runner().pause();
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls()) {
        if (!url.isLocalFile()) continue;
        if (mayReplace()) openFile(url.toLocalFile());
        return;
    }
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && shown_) checkDisk();
}

void MainWindow::checkDisk() {
    Document& document = bench_->document();
    const Document::DiskChange change = document.checkDisk();
    if (document.dirty() != isWindowModified()) refreshTitle();
    switch (change) {
        case Document::DiskChange::none: disk_message_->hide(); return;
        case Document::DiskChange::gone:
            if (!disk_message_->isVisible())
                disk_message_->say(tr("The file is no longer on disk. Its text is still here."), "caution",
                                   {{tr("Save"), [this] { save(); }}, {tr("Save as…"), [this] { saveAs(); }}});
            return;
        case Document::DiskChange::changed: break;
    }
    auto reload = [this] {
        try {
            bench_->document().reload();
            bench_->submit();
        } catch (const std::exception& fault) {
            edit_message_->say(QString::fromUtf8(fault.what()), "bad", {});
        }
    };
    // Without changes of its own the document follows the file; otherwise the user decides.
    if (!document.dirty()) reload();
    else if (!disk_message_->isVisible())
        disk_message_->say(
            tr("%1 was changed by another program, and you have changes of your own.")
                .arg(QString::fromStdString(document.displayName())),
            "caution", {{tr("Take the file's version"), reload}, {tr("Replace it with mine"), [this] { save(true); }}});
}

void MainWindow::offerRecovery() {
    const std::vector<Backup> found = backups_->recoverable();
    if (found.empty()) return;
    const Backup backup = found.front();
    recovery_message_->say(tr("Unsaved work on %1 of %2 was kept when the program ended unexpectedly: %3.")
                               .arg(QString::fromStdString(backup.name()), when(backup.time),
                                    QString::fromStdString(differenceToFile(backup))),
                           "info",
                           {{tr("Recover"),
                             [this, backup] {
                                 if (!mayReplace()) return;
                                 try {
                                     setOpened(backups_->recover(backup), true);
                                 } catch (const std::exception& fault) {
                                     edit_message_->say(QString::fromUtf8(fault.what()), "bad", {});
                                 }
                                 offerRecovery();
                             }},
                            {tr("Discard it"),
                             [this, backup] {
                                 backups_->drop(backup);
                                 offerRecovery();
                             }},
                            {tr("Later"), {}}});
    // The keyboard stays with the view: a Space meant for it must not dismiss the offer.
    view_->setFocus();
}

void MainWindow::fillRecent() {
    recent_menu_->clear();
    const auto files = recent_.files();
    for (const auto& file : files) {
        const QString path = QString::fromStdString(file.string());
        QAction* a = recent_menu_->addAction(QFileInfo(path).fileName() + "   " + QFileInfo(path).absolutePath());
        connect(a, &QAction::triggered, this, [this, path] {
            if (mayReplace()) openFile(path);
        });
    }
    if (files.empty()) recent_menu_->addAction(tr("No file has been opened yet"))->setEnabled(false);
    if (!files.empty()) {
        recent_menu_->addSeparator();
        recent_menu_->addAction(tr("Clear the list"), this, [this] { recent_.clear(); });
    }
}

void MainWindow::fillExamples() {
    examples_menu_->clear();
    const auto list = examples();
    for (const Example& e : list) {
        QAction* a = examples_menu_->addAction(e.name + "   " + e.one_line);
        a->setObjectName("example." + e.name);
        if (!e.picture.isEmpty()) {
            a->setIcon(QIcon(e.picture));
            a->setToolTip(QString("<img src='%1' width='320'><br>%2").arg(e.picture, e.one_line.toHtmlEscaped()));
        } else {
            a->setToolTip(e.one_line);
        }
        const QString path = QString::fromStdString(e.file.string());
        connect(a, &QAction::triggered, this, [this, path] { openExample(path); });
    }
    if (list.empty()) examples_menu_->addAction(tr("The folder of examples was not found"))->setEnabled(false);
}

void MainWindow::savePicture() {
    const QString path =
        askWhereToSave(this, tr("Save picture of the view"), lastFolder() + "/view.png", tr("PNG (*.png)"), "png");
    if (path.isEmpty()) return;
    if (!view_->picture().save(path)) QMessageBox::warning(this, tr("Not saved"), tr("Cannot write '%1'.").arg(path));
}

}  // namespace mw::app
