//! The execution in the formats of other programs: a view, and a dialog that copies or downloads any of them.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use litmoscope::report::Format;

use super::files;
use crate::app::App;
use crate::browser;
use crate::ui::dialog::Dialog;

/// A way to take an execution along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ware {
    /// Text.
    Text(Format),
    /// The bitmap of a picture.
    Png(Format),
}

impl Ware {
    const GRAPH: [Self; 6] = [
        Self::Text(Format::Dot),
        Self::Text(Format::Tikz),
        Self::Text(Format::Json),
        Self::Text(Format::Svg),
        Self::Png(Format::Svg),
        Self::Text(Format::Text),
    ];
    const TIME: [Self; 3] = [Self::Text(Format::TimeSvg), Self::Png(Format::TimeSvg), Self::Text(Format::TimeText)];
    const TABLE: [Self; 2] = [Self::Text(Format::Csv), Self::Text(Format::Markdown)];

    fn format(self) -> Format {
        match self {
            Self::Text(format) | Self::Png(format) => format,
        }
    }

    fn title(self) -> String {
        match self {
            Self::Text(format) => format.title().to_owned(),
            Self::Png(format) => format.title().replace("SVG", "PNG"),
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Text(format) => format.about(),
            Self::Png(_) => "a bitmap of twice the size",
        }
    }

    fn name(self) -> String {
        match self {
            Self::Text(format) => format.name().to_owned(),
            Self::Png(format) => format.name().replace("svg", "png"),
        }
    }

    fn file(self) -> String {
        let part = match self.format() {
            Format::TimeSvg | Format::TimeText => "run",
            Format::Csv | Format::Markdown => "events",
            _ => "execution",
        };
        let ending = match self {
            Self::Text(format) => format.ending(),
            Self::Png(_) => "png",
        };
        format!("{part}.{ending}")
    }
}

/// The text of a format, if it has come.
fn text(app: App, format: Format) -> Option<String> {
    app.seen.with_untracked(|view| {
        let texts = &view.as_ref()?.aspect.texts;
        Some(texts.iter().find(|(known, _)| *known == format)?.1.clone())
    })
}

/// Copies; where the clipboard is refused, `refused` gets the text, to be copied by hand.
fn copy(app: App, ware: Ware, refused: RwSignal<Option<String>>) {
    let Some(text) = text(app, ware.format()) else { return };
    refused.set(None);
    spawn_local(async move {
        let name = ware.title();
        match ware {
            Ware::Text(_) if browser::copy(&text).await => app.tell(&format!("{name} copied.")),
            Ware::Text(_) => {
                refused.set(Some(text));
                app.tell("The clipboard is not available: copy the text from the field.");
            }
            Ware::Png(_) if files::copy_png(text).await => app.tell(&format!("{name} copied.")),
            Ware::Png(_) => app.complain("The clipboard does not accept the picture: download it instead."),
        }
    });
}

fn download(app: App, ware: Ware) {
    let Some(text) = text(app, ware.format()) else { return };
    spawn_local(async move {
        let content = match ware {
            Ware::Text(format) => files::blob(&text, format.media_type()),
            Ware::Png(_) => files::png(&text).await.ok(),
        };
        let file = ware.file();
        if content.is_some_and(|content| files::download(&file, &content)) {
            app.tell(&format!("{file} is on its way to your downloads."));
        } else {
            app.complain(&format!("{file} could not be made; the drawing may be too large."));
        }
    });
}

/// A text to be copied by hand, selected.
#[component]
fn ByHand(text: RwSignal<Option<String>>, id: &'static str) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    Effect::new(move |_| {
        if text.get().is_some()
            && let Some(field) = field.get()
        {
            // After the text is in it.
            request_animation_frame(move || {
                let _ = field.focus();
                field.select();
            });
        }
    });
    view! {
        <Show when=move || text.with(Option::is_some)>
            <div class="by-hand">
                <label for=id>"Copy this text"</label>
                <textarea id=id readonly rows="6" node_ref=field prop:value=move || text.get().unwrap_or_default()></textarea>
            </div>
        </Show>
    }
}

/// The dialog: each format, to be copied or downloaded.
#[component]
pub fn CopyAs() -> impl IntoView {
    let app = App::get();
    let refused = RwSignal::new(None);
    Effect::new(move |_| {
        if app.dialogs.copying.get() {
            refused.set(None);
        }
    });
    let ready = move |ware: Ware| {
        app.seen.with(|view| {
            view.as_ref().is_some_and(|view| view.aspect.texts.iter().any(|(format, _)| *format == ware.format()))
        })
    };
    let row = move |ware: Ware| {
        let off = move || (!ready(ware)).to_string();
        view! {
            <li class="ware" data-ware=ware.name()>
                <span class="ware-name">
                    <b>{ware.title()}</b>
                    <span class="ware-about">{ware.about()}</span>
                </span>
                <button
                    type="button"
                    class="copy-ware"
                    aria-label=format!("Copy {}", ware.title())
                    aria-disabled=off
                    on:click=move |_| copy(app, ware, refused)
                >
                    "Copy"
                </button>
                <button
                    type="button"
                    class="save-ware"
                    aria-label=format!("Download {}", ware.title())
                    aria-disabled=off
                    on:click=move |_| download(app, ware)
                >
                    "Download"
                </button>
            </li>
        }
    };
    let said = move || app.notices.notice.get().filter(|_| app.dialogs.copying.get());
    view! {
        <Dialog id="copying" class="copying" title="Copy as" open=app.dialogs.copying>
            // The page's own messages lie under the dialog.
            <p class="copying-said" class:bad=move || said().is_some_and(|notice| notice.bad) id="copying-said" role="status">
                {move || said().map(|notice| notice.text)}
            </p>
            <ByHand text=refused id="by-hand" />
            <div class="ware-columns">
                <section>
                    <h3>"Graph"</h3>
                    <ul>{Ware::GRAPH.map(row).collect_view()}</ul>
                </section>
                <section>
                    <h3>"Run (time view)"</h3>
                    <ul>{Ware::TIME.map(row).collect_view()}</ul>
                    <h3>"Table of events"</h3>
                    <ul>{Ware::TABLE.map(row).collect_view()}</ul>
                    <p class="empty">"Pictures have the colours of the chosen theme, and show the same relations as \
                                      the page."</p>
                </section>
            </div>
        </Dialog>
    }
}

/// The view: one format at a time.
#[component]
pub fn TextPanel() -> impl IntoView {
    let app = App::get();
    let refused = RwSignal::new(None);
    let shown = Memo::new(move |_| {
        let format = app.looks.format.get();
        app.seen.with(|view| {
            let texts = &view.as_ref()?.aspect.texts;
            Some(texts.iter().find(|(known, _)| *known == format)?.1.clone())
        })
    });
    let ware = move || Ware::Text(app.looks.format.get_untracked());
    let options = Format::ALL
        .map(|format| {
            view! { <option value=format.name() selected=move || app.looks.format.get() == format>{format.title()}</option> }
        })
        .collect_view();
    view! {
        <div class="text-view" class:faded=move || !app.session.current.get()>
            <div class="text-bar">
                <label for="text-format">"Format"</label>
                <select
                    id="text-format"
                    on:change:target=move |event| {
                        if let Some(format) = Format::named(&event.target().value()) {
                            browser::store("format", format.name());
                            refused.set(None);
                            app.looks.format.set(format);
                        }
                    }
                >
                    {options}
                </select>
                <span class="text-about">{move || app.looks.format.get().about()}</span>
                <button type="button" id="text-copy" on:click=move |_| copy(app, ware(), refused)>"Copy"</button>
                <button type="button" id="text-download" on:click=move |_| download(app, ware())>"Download"</button>
            </div>
            <ByHand text=refused id="text-by-hand" />
            <textarea
                id="text-content"
                class="text-content"
                readonly
                wrap="off"
                spellcheck="false"
                aria-label="The execution as text"
                prop:value=move || shown.get().unwrap_or_default()
            ></textarea>
        </div>
    }
}
