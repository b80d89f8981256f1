// The window: menus, tool bar with the badge, docks around the view, run bar, status line; files and layouts.
#pragma once

#include <QMainWindow>
#include <QMap>
#include <QStringList>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/document/actions.h"
#include "app/document/backup.h"

class QActionGroup;
class QLabel;
class QLineEdit;
class QMenu;

namespace mw::app {

class CodeView;
class Dock;
class EnergyPlot;
class MessageBar;
class Outline;
class Problems;
class RunBar;
class StatusLine;
class TextEditor;
class ViewWidget;
class Workbench;

/// What the command line asks of the window.
struct StartOptions {
    QString file;
    QString layout;
    QString screenshot;
    QSize size;
    bool reset_layout = false;
    bool safe_graphics = false;
    bool run = false;
};

class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const StartOptions& options);
    ~MainWindow() override;

    Workbench& bench() { return *bench_; }
    bool openFile(const QString& path);
    void setLayoutName(const QString& name);
    static QStringList layoutNames() { return {"Author", "Run", "Inspect", "Teach"}; }

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    // main_window.cpp: construction and layouts
    void makeDocks();
    void makeToolBar();
    void applyLayout(const QString& name);
    void keepLayout();
    void refreshTitle();
    void centreBadge();
    void refreshSnapshot();
    void refreshStale();
    std::vector<int> faultyBodies() const;
    void placeMessages();
    void showContextMenu(const Item& item, const QPoint& at);
    void followStyle();
    Dock* dock(const QString& name, const QString& title, QWidget* content, bool head, Qt::DockWidgetArea area);

    // main_window_menus.cpp: actions
    void makeMenus();
    void makeCreateMenu(QMenu* menu);
    void makeViewMenu(QMenu* menu);
    void makeRunMenu(QMenu* menu);
    QAction* act(QMenu* menu, const char* name, const QString& text, const QString& icon,
                 const QList<QKeySequence>& keys, std::function<void()> run);
    void refreshActions();
    void refreshRunActions();
    void askSlope();
    void report(const Outcome& outcome);
    void play();
    void assemble();
    void offerPose(const std::shared_ptr<const Model>& of, const std::vector<double>& from,
                   const std::vector<double>& to);
    std::size_t velocities() const;
    void showKeys();
    void showAbout();
    void toggleFind();

    // main_window_files.cpp: files, backups, changes on disk
    void newDocument();
    void openDialog();
    void openExample(const QString& path);
    void showGallery();
    bool save(
        bool replace_asked = false);  ///< asked: a version that changed on disk gives way without another question
    bool saveAs();
    bool mayReplace();
    void setOpened(Document document, bool recovered = false);
    void checkDisk();
    void offerRecovery();
    void fillRecent();
    void fillExamples();
    void savePicture();
    void restartBackups();

    // screenshot.cpp
    void scheduleScreenshot(const QString& path);

    StartOptions options_;
    std::unique_ptr<Workbench> bench_;
    std::unique_ptr<BackupSession> backups_;
    bool placing_messages_ = false;
    RecentFiles recent_;
    ViewWidget* view_ = nullptr;
    Outline* outline_ = nullptr;
    TextEditor* editor_ = nullptr;
    Problems* problems_ = nullptr;
    EnergyPlot* energy_ = nullptr;
    RunBar* run_bar_ = nullptr;
    StatusLine* status_ = nullptr;
    MessageBar *disk_message_ = nullptr, *run_message_ = nullptr, *recovery_message_ = nullptr,
               *edit_message_ = nullptr, *text_message_ = nullptr, *pose_message_ = nullptr;
    QMap<QString, Dock*> docks_;
    QActionGroup* layout_group_ = nullptr;
    QList<QAction*> left_out_first_, left_out_second_;  ///< tools that a narrow window does without
    QWidget *left_space_ = nullptr, *badge_ = nullptr;
    QLabel* title_ = nullptr;
    QLineEdit* find_ = nullptr;
    QMenu *recent_menu_ = nullptr, *examples_menu_ = nullptr;
    QMap<QString, QAction*> actions_;
    std::vector<std::pair<QAction*, std::function<bool()>>> view_parts_;  ///< that the view's own cards switch, too
    QTimer slow_tick_;
    QString layout_name_;
    QTimer message_clear_;
    bool shown_ = false;
    QString blow_up_said_, text_message_said_;
};

}  // namespace mw::app
