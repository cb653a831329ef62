//! Starts the page.

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        litmoscope_app::recent::page_failed(&panic.to_string());
    }));
    leptos::mount::mount_to_body(litmoscope_app::page::Page);
}
