// Before the first paint, so that a remembered theme or language never flashes by.
(function () {
  try {
    var theme = localStorage.getItem("claimkit.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    var lang = localStorage.getItem("claimkit.lang");
    if (lang === "zh-Hans" || (!lang && /^zh\b/i.test(navigator.language))) document.documentElement.lang = "zh-Hans";
  } catch (_) {
    // Storage may be switched off; the system's theme is then used.
  }
})();
