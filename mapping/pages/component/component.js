/* The map in the page: loads the view once, then passes on what each rerun brings; a click goes back to Python. */
'use strict';

/* Absolute: this code runs from a blob, against which no relative address resolves. */
const BASE = `${location.origin}/ms4`;

function loadStyle(parent) {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = `${BASE}/map.css`;
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
    parent.prepend(link);
  });
}

async function ask(path, key) {
  const answer = await fetch(`${BASE}/${path}`, { headers: { 'x-ms4-key': key }, cache: 'no-store' });
  if (!answer.ok) throw new Error(`${answer.status} ${path}`);
  return answer.json();
}

async function startView(parent, component) {
  await Promise.all([loadStyle(parent), import(`${BASE}/map.js`)]);
  const { data } = component;
  const root = parent.querySelector('.ms4-root');
  const view = new globalThis.ms4.view.View(root, {
    style: data.style,
    store: data.store,
    load: (name) => ask(`features?layer=${encodeURIComponent(name)}`, parent.ms4.data.key),
    find: (text) => ask(`search?q=${encodeURIComponent(text)}`, parent.ms4.data.key).catch(() => []),
    onPick: (subject) => parent.ms4.setTriggerValue('picked', subject),
  });
  const watcher = new ResizeObserver(() => view.map.invalidateSize());
  watcher.observe(root);
  return { view, stop: () => { watcher.disconnect(); view.remove(); } };
}

/* Called by Streamlit when the component appears and on every rerun; the view is made once and then told what is new. */
export default function showMap(component) {
  const parent = component.parentElement;
  const first = !parent.ms4;
  parent.ms4 = Object.assign(parent.ms4 || {}, { data: component.data, setTriggerValue: component.setTriggerValue });
  if (first) parent.ms4.started = startView(parent, component);
  parent.ms4.started.then(({ view }) => view.show(parent.ms4.data));
  return () => {
    parent.ms4?.started.then(({ stop }) => stop());
    delete parent.ms4;
  };
}
