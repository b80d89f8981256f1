// What is known of the selected item: how it was written, and its pose, velocity and forces at the instant shown.
#pragma once

#include <QElapsedTimer>
#include <QScrollArea>
#include <functional>
#include <vector>

#include "app/document/actions.h"

class QFormLayout;
class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace mw::app {

struct Probe;
class Workbench;

class Inspector : public QScrollArea {
    Q_OBJECT
public:
    explicit Inspector(Workbench& bench, QWidget* parent = nullptr);

signals:
    void note(const QString& text);
    void outcome(const Outcome& outcome);  ///< of an edit made here

private:
    /// A row of the card; live rows are filled anew with every snapshot.
    struct Row {
        QLabel* name;
        QLabel* value;
        std::function<QString()> live;
    };
    void rebuild();
    void refresh();
    void section(const QString& title);
    void row(const QString& name, const QString& value, const QString& tip = {});
    void liveRow(const QString& name, std::function<QString()> value, const QString& tip = {});
    void showBody(const Item& item);
    void showElement(const Item& item);
    void showLoop(const Item& item);  // inspector_loop.cpp
    /// A value that can be typed; `commit` gets the new text once it is entered.
    void editRow(const QString& name, const QString& text, const QString& tip,
                 std::function<Outcome(const std::string&)> commit, const QString& unit = {},
                 const QString& standard = {});
    void choiceRow(const QString& name, const QStringList& choices, const QString& present, const QString& tip,
                   std::function<Outcome(const std::string&)> commit);
    void settle(std::function<Outcome()> edit);
    void showTrack(const Item& item);     // inspector_track.cpp
    void showGround(const Item& item);    // inspector_track.cpp
    void showContact(const Item& item);   // inspector_contact.cpp
    void showTendon(const Item& item);    // inspector_tendon.cpp
    void showCoupling(const Item& item);  // inspector_tendon.cpp
    void showMaterial(const Item& item);  // inspector_tendon.cpp
    /// Readings with their provenance as tooltips, under headings made of their names.
    enum class ProbePart { all, whole, places };  ///< readings of the whole; of branches, points and guides
    void showProbes(std::function<std::vector<Probe>()> make, ProbePart part = ProbePart::all);
    void probeRow(const Probe& probe, std::size_t at, const std::function<const std::vector<Probe>&()>& all);
    void showPath(const Item& item, const Tendon& tendon);
    void showWritten(const Item& item);
    void showElements(const Item& item, const std::string& word, const QString& title, bool named);
    void showNothing();

    Workbench& bench_;
    QWidget* page_ = nullptr;
    QGridLayout* grid_ = nullptr;
    int next_ = 0;
    std::vector<Row> live_;
    QString signature_;
    Item shown_;  ///< of the card that stands there
    QElapsedTimer drawn_at_;
};

}  // namespace mw::app
