// Sends page views, also of navigation within a page, and what a page calls: track(name, properties).
(() => {
  const script = document.currentScript;
  const { site, account, consent, dnt } = script.dataset;
  const KEY = "collector-visitor";
  let from = document.referrer;
  let shown;

  const id = () => crypto.randomUUID?.() ?? Date.now() + "-" + Math.random();

  // The storage of a browser that blocks cookies throws.
  const stored = (use) => {
    try {
      return use(localStorage);
    } catch {}
  };

  const send = (hit, wait = 1000) =>
    fetch(new URL("hit", script.src), {
      method: "POST",
      keepalive: true,
      body: JSON.stringify({ ...hit, sent: Date.now() }),
    })
      .then((answer) => (answer.status < 500 && answer.status !== 429) || Promise.reject())
      .catch(() => wait < 600_000 && setTimeout(send, wait, hit, wait * 2));

  window.track = (type, properties) => {
    if (dnt === "respect" && navigator.doNotTrack === "1") return;
    send({
      site,
      type,
      properties,
      account,
      id: id(),
      visitor: stored((storage) => storage[KEY]),
      url: location.href,
      referrer: from,
      language: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      time: Date.now(),
    });
  };
  // Only with consent a visitor has an id that stays, which is also the record of the consent.
  track.consent = (granted) => {
    stored((storage) => (granted ? (storage[KEY] ||= id()) : storage.removeItem(KEY)));
  };
  if (consent === "granted") track.consent(true);

  const show = () => {
    const url = location.href.split("#")[0];
    if (url === shown) return;
    if (shown) from = shown;
    shown = url;
    track("pageview");
  };
  const { pushState } = history;
  history.pushState = function (...state) {
    pushState.apply(this, state);
    show();
  };
  addEventListener("popstate", show);
  show();
})();
