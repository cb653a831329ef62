//! Texts and pictures for other programs: onto the clipboard, or into a file.

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{
    Blob, BlobPropertyBag, CanvasRenderingContext2d, HtmlAnchorElement, HtmlCanvasElement, HtmlImageElement, Url,
    window,
};

/// How many pixels of a bitmap are one of the drawing.
const SCALE: f64 = 2.0;
/// Bitmaps are no larger on a side: browsers refuse them.
const LARGEST: f64 = 8192.0;

/// A text as a file's content.
pub fn blob(text: &str, media_type: &str) -> Option<Blob> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    Blob::new_with_str_sequence_and_options(&Array::of1(&text.into()), &options).ok()
}

/// Lets the browser save a file; whether it could be offered.
pub fn download(name: &str, content: &Blob) -> bool {
    let save = || {
        let address = Url::create_object_url_with_blob(content).ok()?;
        let link: HtmlAnchorElement = window()?.document()?.create_element("a").ok()?.dyn_into().ok()?;
        link.set_href(&address);
        link.set_download(name);
        link.click();
        // The browser has taken the content by then.
        gloo::timers::callback::Timeout::new(10_000, move || {
            let _ = Url::revoke_object_url(&address);
        })
        .forget();
        Some(())
    };
    save().is_some()
}

/// An SVG drawing as a PNG bitmap of twice its size.
///
/// # Errors
/// What the browser says.
pub async fn png(svg: &str) -> Result<Blob, JsValue> {
    let missing = || JsValue::from_str("the browser can't draw bitmaps");
    let image = HtmlImageElement::new()?;
    // A data address: the page's policy lets images come from nowhere else but the site.
    image.set_src(&format!("data:image/svg+xml;charset=utf-8,{}", js_sys::encode_uri_component(svg)));
    JsFuture::from(image.decode()).await?;
    let (width, height) = (f64::from(image.natural_width()), f64::from(image.natural_height()));
    let scale = SCALE.min(LARGEST / width.max(height).max(1.0));
    let document = window().and_then(|window| window.document()).ok_or_else(missing)?;
    let canvas: HtmlCanvasElement = document.create_element("canvas")?.dyn_into()?;
    canvas.set_width((width * scale).ceil() as u32);
    canvas.set_height((height * scale).ceil() as u32);
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or_else(missing)?.dyn_into()?;
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width * scale, height * scale)?;
    let promise = Promise::new(&mut |resolve: Function, reject: Function| {
        let done = Closure::once_into_js(move |blob: Option<Blob>| {
            let _ = match blob {
                Some(blob) => resolve.call1(&JsValue::NULL, &blob),
                None => reject.call1(&JsValue::NULL, &"the bitmap is too large".into()),
            };
        });
        let _ = canvas.to_blob_with_type(done.unchecked_ref(), "image/png");
    });
    JsFuture::from(promise).await?.dyn_into()
}

/// Copies an SVG drawing as a bitmap; whether it worked.
pub async fn copy_png(svg: String) -> bool {
    let copy = || {
        let window = window()?;
        let clipboard = Reflect::get(&window.navigator(), &"clipboard".into()).ok().filter(JsValue::is_object)?;
        let write: Function = Reflect::get(&clipboard, &"write".into()).ok()?.dyn_into().ok()?;
        let kind: Function = Reflect::get(&window, &"ClipboardItem".into()).ok()?.dyn_into().ok()?;
        // A promise: the browser has to see at once that a click asked for this.
        let bitmap = future_to_promise(async move { png(&svg).await.map(JsValue::from) });
        let content = Object::new();
        Reflect::set(&content, &"image/png".into(), &bitmap).ok()?;
        let item = Reflect::construct(&kind, &Array::of1(&content)).ok()?;
        write.call1(&clipboard, &Array::of1(&item)).ok()?.dyn_into::<Promise>().ok()
    };
    match copy() {
        Some(written) => JsFuture::from(written).await.is_ok(),
        None => false,
    }
}
