// Before the first paint, so that a remembered theme or language never flashes by, nor an example that is not what was here last.
(function () {
  var root = document.documentElement;
  try {
    var theme = localStorage.getItem("claimkit.theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    var lang = localStorage.getItem("claimkit.lang");
    if (lang === "zh-Hans" || (!lang && /^zh\b/i.test(navigator.language))) root.lang = "zh-Hans";
    if (localStorage.getItem("claimkit.visited")) root.dataset.visited = "";
  } catch (_) {
    // Storage may be switched off; the system's theme is then used.
  }
  if (location.hash) root.dataset.visited = "";
  // The worker asks for these once the page's code has started it: on a slow line that is seconds later. Both come from the cache then.
  __EARLY__.forEach(function (file) {
    fetch(file)
      .then(function (response) {
        return response.arrayBuffer();
      })
      .catch(function () {});
  });
})();
