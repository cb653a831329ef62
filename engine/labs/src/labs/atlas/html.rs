//! HTML, written piece by piece. Texts and attributes are escaped; nothing else gets in but drawings, which escape
//! their own.

use crate::report::escape;

/// A page under construction.
#[derive(Debug, Default)]
pub(super) struct Html {
    text: String,
    open: Vec<&'static str>,
}

impl Html {
    /// Begins an element with attributes.
    pub(super) fn begin(&mut self, tag: &'static str, attributes: &[(&str, &str)]) {
        self.tag(tag, attributes);
        self.open.push(tag);
    }

    /// Ends the last element begun.
    pub(super) fn end(&mut self) {
        if let Some(tag) = self.open.pop() {
            self.text.push_str(&format!("</{tag}>"));
            if !INLINE.contains(&tag) {
                self.text.push('\n');
            }
        }
    }

    /// An element without an end.
    pub(super) fn tag(&mut self, tag: &str, attributes: &[(&str, &str)]) {
        self.text.push('<');
        self.text.push_str(tag);
        for (name, value) in attributes {
            self.text.push_str(&format!(" {name}=\"{}\"", escape(value)));
        }
        self.text.push('>');
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) {
        // Line breaks of programs stay.
        let lines: Vec<String> = text.split('\n').map(escape).collect();
        self.text.push_str(&lines.join("\n"));
    }

    /// An element with a text in it.
    pub(super) fn element(&mut self, tag: &'static str, attributes: &[(&str, &str)], text: &str) {
        self.begin(tag, attributes);
        self.text(text);
        self.end();
    }

    /// A paragraph.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.element("p", &[], text);
    }

    /// A drawing.
    pub(super) fn drawing(&mut self, svg: &str) {
        self.text.push_str(svg);
    }

    /// All of it, with everything ended.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.text
    }
}

/// Elements behind which the line goes on.
const INLINE: [&str; 10] = ["a", "code", "strong", "em", "b", "span", "td", "th", "cite", "pre"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_text_is_escaped() {
        let mut html = Html::default();
        html.begin("p", &[("title", "\"><script>")]);
        html.text("<b>&\n'x'");
        html.element("code", &[], "a<b");
        assert_eq!(
            html.finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;\n&#39;x&#39;<code>a&lt;b</code></p>\n"
        );
    }
}
