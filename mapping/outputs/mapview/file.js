/* The map file: starts the view on the data that the file carries; a click says in a window what a thing is. */
/* global map_ms4 */
'use strict';

(() => {
  const { View } = ms4.view;
  const { el } = ms4.controls;
  const data = JSON.parse(document.getElementById('ms4-data').textContent);

  function tell(view, feature, latlng) {
    const layer = data.layers.find(({ name }) => name === feature.subject.split(':')[0]);
    const lines = [layer && layer.title, feature.why, feature.tag && `Special conditions: ${feature.tag}`, feature.label];
    const rows = lines.filter(Boolean).map((text) => el('div', {}, text));
    L.popup({ className: 'ms4-popup' }).setLatLng(latlng).setContent(el('div', {}, el('b', {}, feature.name), ...rows)).openOn(view.map);
  }

  function find(text) {
    const wanted = text.toLowerCase();
    const all = Object.values(data.features).flatMap(({ features }) => features.map(({ properties }) => properties));
    const hits = all.filter(({ name, finding }) => !finding && name.toLowerCase().includes(wanted));
    return hits.slice(0, 12);
  }

  function titleBox() {
    const made = L.control({ position: 'topleft' });
    made.onAdd = () => el('div', { class: 'ms4-box ms4-title' }, el('b', {}, data.title), el('div', {}, data.note));
    return made;
  }

  titleBox().addTo(map_ms4);
  const view = new View(map_ms4, {
    style: data.style,
    store: null,
    find: async (text) => find(text),
    load: async (name) => data.features[name],
    onPick: (subject, feature, latlng) => {
      view.point(subject, []);
      if (feature) tell(view, feature, latlng);
    },
  });
  view.show({ layers: data.layers, bounds: data.bounds, version: 1, selected: '', trace: [] });
})();
