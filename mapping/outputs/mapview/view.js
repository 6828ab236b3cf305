/* The map itself: layers on and off, what is picked, the trace, the view that is kept. Used by the app and the map file. */
'use strict';

ms4.view = (() => {
  const { paths, marks, controls } = ms4;
  const FLAGS = new Set(['flags', 'unsure']);
  const GROUND = ['parcels', 'waters', 'roads'];
  const SELECT_ZOOM = 17;
  const LEGEND_WIDTH = 250;
  const FOLDED = { paddingTopLeft: [8, 52], paddingBottomRight: [8, 76] };
  const MAP_OPTIONS = { zoomControl: false, attributionControl: false, minZoom: 8, maxZoom: 20, zoomSnap: 0.25, wheelPxPerZoomLevel: 90 };

  class View {
    /* root: an element, or a Leaflet map that is there already. options: style, load(name) → GeoJSON,
       onPick(subject, feature, latlng), find(text) or null, store (prefix in sessionStorage) or null. */
    constructor(root, options) {
      Object.assign(this, options);
      this.layers = [];
      this.trace = [];
      this.groups = new Map();
      this.switched = this.remembered('switched') || {};
      this.chipsOff = new Set();
      this.map = root instanceof L.Map ? root : L.map(root, MAP_OPTIONS);
      this.map.options.renderer = L.canvas({ padding: 0.25, tolerance: 4 });
      this.map.getContainer().classList.add('ms4-map');
      this.map.createPane('ms4-pointed').style.zIndex = 450;
      this.pen = L.svg({ pane: 'ms4-pointed', padding: 0.5 });
      this.placeControls();
      this.overlay = new marks.Overlay(this).addTo(this.map);
      this.map.on('moveend zoomend', () => this.afterMove());
    }

    placeControls() {
      const { map, style } = this;
      if (this.find) controls.searchBox(map, this.find, (subject) => this.onPick(subject));
      L.control.zoom({ position: 'topleft' }).addTo(map);
      this.panel = controls.layerPanel(map, (name, on) => this.switchLayer(name, on));
      this.status = controls.message(map);
      this.chips = controls.chipRow(map, style, (symbol) => this.toggleChip(symbol));
      this.legend = controls.legend(map, style);
      L.control.scale({ metric: false, maxWidth: 160, position: 'bottomright' }).addTo(map);
      controls.coordinates(map);
      this.hover = L.tooltip({ direction: 'top', offset: [0, -10], className: 'ms4-tip', opacity: 1 });
    }

    /* Shows the layers given: [{name, title, on, count}] in drawing order; a new `version` reads all features anew. */
    async show({ layers, bounds, version, selected, trace }) {
      if (version !== this.version) {
        this.version = version;
        this.layers = layers;
        this.frame(bounds);
        await this.readAll();
      }
      this.point(selected, trace);
    }

    frame(bounds) {
      if (this.framed) return;
      this.framed = true;
      const kept = this.remembered('place');
      if (kept) this.map.setView(kept.center, kept.zoom);
      else if (bounds) this.fitAll(bounds);
      else this.map.setView([42.9, -75.5], 8);
    }

    /* All of the town right of the legend, or between search and chips where that is folded; to no step of the zoom. */
    fitAll([west, south, east, north]) {
      const { options } = this.map;
      const step = options.zoomSnap;
      options.zoomSnap = 0;
      this.map.fitBounds([[south, west], [north, east]], this.legend.isOpen() ? { paddingTopLeft: [LEGEND_WIDTH, 8], paddingBottomRight: [8, 8] } : FOLDED);
      options.zoomSnap = step;
    }

    async readAll() {
      this.status.say('Drawing the map');
      const asked = this.version;
      const read = this.layers.map(async ({ name }) => [name, await this.load(name)]);
      const results = await Promise.allSettled(read);
      if (asked !== this.version) return;
      this.groups.forEach((group) => group.remove());
      this.groups.clear();
      results.filter(({ status }) => status === 'fulfilled').forEach(({ value: [name, collection] }) => this.keep(name, collection));
      this.status.say(this.remark(results.filter(({ status }) => status === 'rejected').length));
      this.stack();
    }

    /* What the reader must know about the picture: a layer that failed, or no ground to see it on. */
    remark(failed) {
      if (failed) return `${failed} of ${this.layers.length} layers could not be read. Reload the page.`;
      if (!this.layers.length) return 'Nothing is loaded yet. Import a layer first.';
      const ground = this.layers.some(({ name }) => GROUND.includes(name));
      return ground ? '' : 'Base map not available: no roads, waters or lots are loaded.';
    }

    keep(name, collection) {
      const group = paths.ofLayer(this.style, collection);
      group.on('click', (event) => this.pick(event));
      group.on('mouseover', (event) => this.tell(event));
      group.on('mouseout', () => this.hover.remove());
      group.eachLayer((path) => {
        if (path instanceof L.Polygon && path.options.feature) path.options.letter = this.style[path.options.feature.symbol].text;
      });
      this.groups.set(name, group);
    }

    isOn(name) {
      const layer = this.layers.find((each) => each.name === name);
      return this.switched[name] ?? Boolean(layer && layer.on);
    }

    switchLayer(name, on) {
      this.switched[name] = on;
      this.remember('switched', this.switched);
      this.stack();
    }

    toggleChip(symbol) {
      if (!this.chipsOff.delete(symbol)) this.chipsOff.add(symbol);
      this.stack();
    }

    /* Puts what is on onto the one canvas in drawing order. */
    stack() {
      this.groups.forEach((group) => group.remove());
      this.layers.filter(({ name }) => this.isOn(name) && this.groups.has(name)).forEach(({ name }) => {
        const group = this.groups.get(name);
        group.addTo(this.map);
        if (FLAGS.has(name)) group.eachLayer((path) => this.chipsOff.has(path.options.feature.symbol) && path.remove());
      });
      this.panel.show(this.layers, (name) => this.isOn(name));
      this.drawPointed();
      this.afterMove();
    }

    afterMove() {
      if (!this.map._loaded) return;
      const centre = this.map.getCenter();
      this.remember('place', { center: [centre.lat, centre.lng], zoom: this.map.getZoom() });
      this.overlay.redraw();
      this.legend.show(new Set(this.visiblePaths().map((path) => path.options.feature.symbol)));
      this.chips.show(this.countFlags(), (symbol) => this.chipsOff.has(symbol));
    }

    inView(path) {
      const box = this.map.getBounds();
      return path.getLatLng ? box.contains(path.getLatLng()) : box.intersects(path.getBounds());
    }

    /* The paths of features that are on, in view and drawn at this zoom. */
    visiblePaths() {
      const zoom = this.map.getZoom();
      const seen = [];
      this.layers.filter(({ name }) => this.isOn(name)).forEach(({ name }) => this.groups.get(name)?.eachLayer((path) => {
        const { feature } = path.options;
        if (feature && path._map && zoom >= this.style[feature.symbol].near && this.inView(path)) seen.push(path);
      }));
      return seen;
    }

    countFlags() {
      const counts = new Map();
      this.layers.filter(({ name }) => FLAGS.has(name) && this.isOn(name)).forEach(({ name }) => this.groups.get(name)?.eachLayer((path) => {
        const { symbol } = path.options.feature;
        if (this.inView(path)) counts.set(symbol, (counts.get(symbol) || 0) + 1);
      }));
      return [...counts].sort();
    }

    pick(event) {
      L.DomEvent.stopPropagation(event);
      const path = event.propagatedFrom || event.layer;
      if (path.options.feature) this.onPick(path.options.feature.subject, path.options.feature, event.latlng);
    }

    tell(event) {
      const { feature } = (event.propagatedFrom || event.layer).options;
      if (!feature) return;
      const lines = [feature.name, feature.why].filter(Boolean).map((text) => controls.el('div', {}, text));
      this.hover.setContent(controls.el('div', {}, ...lines)).setLatLng(event.latlng).addTo(this.map);
    }

    /* Marks what is selected and the trace ([{subject, dash}]); moves there when the selection is new and out of view. */
    point(selected, trace) {
      const moved = selected !== this.selected;
      this.selected = selected;
      this.trace = trace || [];
      this.drawPointed();
      if (moved && selected) this.bringIntoView();
    }

    pathsOf(subjects) {
      const found = [];
      this.groups.forEach((group, name) => !FLAGS.has(name) && name !== 'cases' && group.eachLayer((path) => {
        const { feature } = path.options;
        if (feature && subjects.has(feature.subject)) found.push(path);
      }));
      return found;
    }

    drawPointed() {
      this.pointed?.remove();
      this.pointed = L.featureGroup().addTo(this.map);
      this.map.getContainer().classList.toggle('ms4-dimmed', this.trace.length > 1);
      const dash = new Map(this.trace.map((each) => [each.subject, each.dash]));
      const { trace, selected } = this.style;
      this.pathsOf(new Set(dash.keys())).forEach((path) => this.outline(path, trace, dash.get(path.options.feature.subject)));
      if (this.selected) this.pathsOf(new Set([this.selected])).forEach((path) => this.outline(path, selected, ''));
    }

    outline(path, symbol, dash) {
      const thin = path instanceof L.Polygon || (path.getLatLng && symbol.shape === 'trace');
      const width = thin ? symbol.width_px / 2 : symbol.width_px;
      const line = { color: symbol.stroke, weight: width, dashArray: dash || null, fill: false, interactive: false, opacity: 1, pane: 'ms4-pointed', renderer: this.pen };
      const halo = { ...line, color: '#FFFFFF', weight: width + 4, dashArray: null, opacity: 0.85 };
      [halo, line].forEach((options) => this.copyOf(path, options).addTo(this.pointed));
    }

    copyOf(path, options) {
      if (path.getLatLng) return L.circleMarker(path.getLatLng(), { ...options, radius: path.options.symbol.size_px / 2 + 4 });
      return path instanceof L.Polygon ? L.polygon(path.getLatLngs(), options) : L.polyline(path.getLatLngs(), options);
    }

    bringIntoView() {
      const chosen = this.pathsOf(new Set([this.selected]));
      if (!chosen.length) return;
      const box = L.featureGroup(chosen).getBounds();
      const near = this.map.getZoom() >= SELECT_ZOOM - 2;
      if (!near || !this.map.getBounds().pad(-0.1).contains(box.getCenter())) {
        this.map.fitBounds(box, { maxZoom: near ? this.map.getZoom() : SELECT_ZOOM, animate: false });
      }
    }

    remembered(what) {
      if (!this.store) return null;
      try {
        return JSON.parse(sessionStorage.getItem(`${this.store}.${what}`));
      } catch {
        return null;
      }
    }

    remember(what, value) {
      if (this.store) sessionStorage.setItem(`${this.store}.${what}`, JSON.stringify(value));
    }

    remove() {
      this.map.remove();
    }
  }

  return { View };
})();
