// The generated C code: read-only, with a map between bodies and lines in both directions.
#pragma once

#include <QWidget>
#include <string>

class QLabel;
class QsciScintilla;
class QPushButton;

namespace mw::app {

class Workbench;

class CodeView : public QWidget {
    Q_OBJECT
public:
    explicit CodeView(Workbench& bench, const QString& name, QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void followStyle();
    void showSelection();
    void caretMoved(int line);
    void save();
    Workbench& bench_;
    QsciScintilla* text_;
    QLabel* note_;
    QPushButton *copy_, *save_;
    std::string shown_;
    bool quiet_ = false;
};

}  // namespace mw::app
