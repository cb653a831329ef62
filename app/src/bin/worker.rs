use gloo::worker::Registrable;
use litmoscope_app::worker::{EngineWorker, Json};

fn main() {
    console_error_panic_hook::set_once();
    EngineWorker::registrar().encoding::<Json>().register();
}
