// The studio's front door: command line, style, window.
#include <QApplication>
#include <QCommandLineParser>
#include <QLocale>
#include <QSettings>
#include <QSurfaceFormat>
#include <algorithm>
#include <clocale>
#include <cstdio>

#include "app/studio/main_window.h"
#include "app/studio/style.h"

namespace {

int wrongUsage(const QString& text) {
    std::fprintf(stderr, "mechwright: %s\nTry 'mechwright --help'.\n", text.toLocal8Bit().constData());
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace mw::app;
    // Help and version need no display.
    QStringList arguments;
    for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    QCommandLineParser parser;
    parser.setApplicationDescription("Mechwright: write a mechanism, run it, and know what every number means.");
    parser.addPositionalArgument("FILE", "The .mech file to open. Without one, a pendulum is there to begin with.",
                                 "[FILE]");
    const QCommandLineOption layout("layout", "Author, Run, Inspect or Teach.", "NAME");
    const QCommandLineOption screenshot(
        "screenshot", "Save a picture of the window to FILE once the proof has settled, then quit.", "FILE");
    const QCommandLineOption size("size", "Size of the window, such as 1440x900.", "WxH");
    const QCommandLineOption theme("theme", "dark or light.", "NAME");
    const QCommandLineOption scale("scale", "Size of the interface, such as 1.5.", "FACTOR");
    const QCommandLineOption reset("reset-layout", "Forget the kept positions of panels.");
    const QCommandLineOption safe("safe-graphics",
                                  "No multisampling and no shadows, for troublesome graphics drivers.");
    const QCommandLineOption run("run", "Play as soon as the mechanism is there.");
    const QCommandLineOption help({"h", "help"}, "Show this help.");
    const QCommandLineOption version("version", "Show the version.");
    for (const auto& option : {layout, screenshot, size, theme, scale, reset, safe, run, help, version})
        parser.addOption(option);
    if (!parser.parse(arguments)) return wrongUsage(parser.errorText());
    QCoreApplication::setOrganizationName("mechwright");
    QCoreApplication::setApplicationName("mechwright");
    QCoreApplication::setApplicationVersion("0.1.0");
    if (parser.isSet(help)) {
        QCoreApplication quiet(argc, argv);
        std::printf("%s", parser.helpText().toLocal8Bit().constData());
        return 0;
    }
    if (parser.isSet(version)) {
        std::printf("mechwright 0.1.0\n");
        return 0;
    }
    StartOptions options;
    if (parser.positionalArguments().size() > 1) return wrongUsage("one file at a time");
    if (!parser.positionalArguments().isEmpty()) options.file = parser.positionalArguments().first();
    options.layout = parser.value(layout);
    if (!options.layout.isEmpty()) {
        const QStringList names = MainWindow::layoutNames();
        const auto at = std::find_if(names.begin(), names.end(), [&](const QString& name) {
            return name.compare(options.layout, Qt::CaseInsensitive) == 0;
        });
        if (at == names.end()) return wrongUsage("no layout '" + options.layout + "'; there are " + names.join(", "));
        options.layout = *at;
    }
    if (parser.isSet(size)) {
        const QStringList parts = parser.value(size).split('x');
        bool ok_width = false, ok_height = false;
        if (parts.size() == 2) options.size = QSize(parts[0].toInt(&ok_width), parts[1].toInt(&ok_height));
        if (!ok_width || !ok_height || options.size.width() < 320 || options.size.height() < 240 ||
            options.size.width() > 16384 || options.size.height() > 16384)
            return wrongUsage("a size is WIDTHxHEIGHT in pixels, such as 1440x900");
    }
    if (parser.isSet(theme) && parser.value(theme) != "dark" && parser.value(theme) != "light")
        return wrongUsage("a theme is dark or light");
    double factor = 0;
    if (parser.isSet(scale)) {
        bool ok = false;
        factor = parser.value(scale).toDouble(&ok);
        if (!ok || factor < 0.75 || factor > 3) return wrongUsage("a scale is a number from 0.75 to 3");
    }
    options.screenshot = parser.value(screenshot);
    options.reset_layout = parser.isSet(reset);
    options.safe_graphics = parser.isSet(safe);
    options.run = parser.isSet(run);

    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(24);
    format.setStencilBufferSize(8);
    QSurfaceFormat::setDefaultFormat(format);
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(argc, argv);
    QApplication::setCursorFlashTime(0);  // idle means idle
    // Numbers have a point whatever the user's locale: Qt and the C library alike.
    std::setlocale(LC_NUMERIC, "C");
    QLocale::setDefault(QLocale::c());
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings settings;
    Style& style = Style::get();
    style.install();
    style.setDark((parser.isSet(theme) ? parser.value(theme) : settings.value("theme", "dark").toString()) != "light");
    style.setScale(factor > 0 ? factor : settings.value("scale", 1.0).toDouble());

    MainWindow window(options);
    window.show();
    return QApplication::exec();
}
