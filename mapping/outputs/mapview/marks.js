/* Names, tags, arrows and the days of cases over the map: one canvas, drawn anew after each move, nothing overlaps. */
'use strict';

ms4.marks = (() => {
  const { signs } = ms4;
  const BEND = 9;
  const FROM = { road: 15, stream: 13, lake: 13, lot: 17, arrow: 17, words: 11 };

  const Overlay = L.Layer.extend({
    initialize(view) {
      this._view = view;
    },
    onAdd(map) {
      this._canvas = L.DomUtil.create('canvas', 'ms4-marks leaflet-zoom-hide', map.getPanes().tooltipPane);
      map.on('moveend zoomend resize', this.redraw, this);
      this.redraw();
    },
    onRemove(map) {
      map.off('moveend zoomend resize', this.redraw, this);
      this._canvas.remove();
    },
    redraw() {
      if (!this._map) return;
      const size = this._map.getSize();
      const ratio = globalThis.devicePixelRatio || 1;
      L.DomUtil.setPosition(this._canvas, this._map.containerPointToLayerPoint([0, 0]));
      Object.assign(this._canvas, { width: size.x * ratio, height: size.y * ratio });
      Object.assign(this._canvas.style, { width: `${size.x}px`, height: `${size.y}px` });
      const ctx = this._canvas.getContext('2d');
      ctx.scale(ratio, ratio);
      drawMarks(ctx, this._map, this._view.visiblePaths());
    },
  });

  function drawMarks(ctx, map, paths) {
    const page = { ctx, map, zoom: map.getZoom(), taken: [], named: new Set() };
    const kinds = [keepFree, caseWords, lakeName, lineName, lotLetter, flowArrow];
    kinds.forEach((draw) => paths.forEach((path) => draw(page, path, path.options.feature)));
  }

  /* No name is written over a flag or a structure's sign. */
  function keepFree(page, path, feature) {
    if (!path.getLatLng || !/^(flag|outfall|inter|intra)/.test(feature.symbol)) return;
    const at = page.map.latLngToContainerPoint(path.getLatLng());
    const reach = feature.symbol.startsWith('flag') ? 9 : 4;
    page.taken.push({ x: at.x - reach, y: at.y - reach, w: 2 * reach, h: 2 * reach });
  }

  function caseWords(page, path, feature) {
    if (!/^case_/.test(feature.symbol) || page.zoom < FROM.words) return;
    const at = page.map.latLngToContainerPoint(path.getLatLng());
    const style = { align: 'left', bold: true, colour: path.options.symbol.stroke };
    const tries = [-26, -38, -14, -50, -2];
    const done = tries.some((up) => write(page, feature.label, at.x + 6, at.y + up, style));
    if (!done) write(page, feature.label, at.x + 6, at.y - 26, { ...style, always: true });
  }

  function lakeName(page, path, feature) {
    if (!feature.label || !(path instanceof L.Polygon) || page.zoom < FROM.lake || page.named.has(feature.label)) return;
    const inView = page.map.getBounds();
    const bounds = path.getBounds();
    const box = L.latLngBounds(
      [Math.max(bounds.getSouth(), inView.getSouth()), Math.max(bounds.getWest(), inView.getWest())],
      [Math.min(bounds.getNorth(), inView.getNorth()), Math.min(bounds.getEast(), inView.getEast())],
    );
    const at = page.map.latLngToContainerPoint(box.getCenter());
    const done = write(page, feature.label, at.x, at.y, { italic: true, colour: '#2C6A8A', size: 13 });
    if (done) page.named.add(feature.label);
  }

  /* A name along its line: at the middle of the longest piece that is long enough for it. */
  function lineName(page, path, feature) {
    if (!feature.label || path instanceof L.Polygon || !(path instanceof L.Polyline)) return;
    const isRoad = feature.symbol === 'road';
    if (page.zoom < (isRoad ? FROM.road : FROM.stream) || page.named.has(feature.label)) return;
    page.ctx.font = `${isRoad ? '' : 'italic '}11px ${signs.FONT}`;
    const need = page.ctx.measureText(feature.label).width + 8;
    const spot = straightSpot(page, path, need);
    if (!spot) return;
    const style = { italic: !isRoad, colour: isRoad ? '#5A564E' : '#2C6A8A', angle: spot.angle };
    if (write(page, feature.label, spot.x, spot.y, style)) page.named.add(feature.label);
  }

  /* The spot nearest the middle of the screen where the line is straight for `need` pixels. */
  function straightSpot(page, path, need) {
    const size = page.map.getSize();
    const centre = size.divideBy(2);
    const inside = (p) => p.x > 20 && p.y > 20 && p.x < size.x - 20 && p.y < size.y - 20;
    const spots = asRings(path).flatMap((ring) => straights(ring.map((latlng) => page.map.latLngToContainerPoint(latlng)), need));
    const seen = spots.filter(inside).sort((a, b) => centre.distanceTo(a) - centre.distanceTo(b));
    return seen[0] || null;
  }

  function straights(points, need) {
    const found = [];
    for (let i = 0; i + 1 < points.length; i += 1) {
      let j = i + 1;
      while (j + 1 < points.length && points[i].distanceTo(points[j]) < need) j += 1;
      const bend = points.slice(i, j + 1).some((p) => L.LineUtil.pointToSegmentDistance(p, points[i], points[j]) > BEND);
      const middle = points[i].add(points[j]).divideBy(2);
      if (!bend && points[i].distanceTo(points[j]) >= need) found.push(Object.assign(middle, { angle: upright(points[i], points[j]) }));
    }
    return found;
  }

  function asRings(path) {
    const all = path.getLatLngs();
    return Array.isArray(all[0]) ? all : [all];
  }

  function upright(a, b) {
    const angle = Math.atan2(b.y - a.y, b.x - a.x);
    return Math.abs(angle) > Math.PI / 2 ? angle + Math.PI : angle;
  }

  function lotLetter(page, path, feature) {
    const text = page.zoom >= FROM.lot && path instanceof L.Polygon ? path.options.letter : '';
    if (!text) return;
    const at = page.map.latLngToContainerPoint(path.getBounds().getCenter());
    write(page, text, at.x, at.y, { colour: '#8A8371', size: 11 });
  }

  /* The way the water goes, halfway along the line; `turned` lines flow against the way they were drawn. A sewer says S. */
  function flowArrow(page, path, feature) {
    if (page.zoom < FROM.arrow || !/^(pipe|culvert|ditch)/.test(feature.symbol)) return;
    asRings(path).forEach((ring) => {
      const points = ring.map((latlng) => page.map.latLngToContainerPoint(latlng));
      if (feature.turned) points.reverse();
      const spot = halfway(points);
      if (!spot) return;
      if (path.options.symbol.text) signs.tagLetter(page.ctx, path.options.symbol.text, spot.x, spot.y, path.options.color);
      else arrow(page.ctx, spot, path.options.color);
    });
  }

  function halfway(points) {
    const lengths = points.slice(1).map((p, i) => p.distanceTo(points[i]));
    const total = lengths.reduce((sum, length) => sum + length, 0);
    if (total < 40) return null;
    let left = total / 2;
    const i = lengths.findIndex((length) => (left -= length) <= 0);
    const [a, b] = [points[i], points[i + 1]];
    const share = (lengths[i] + left) / lengths[i];
    return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share, angle: Math.atan2(b.y - a.y, b.x - a.x) };
  }

  function arrow(ctx, { x, y, angle }, colour) {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(angle);
    ctx.beginPath();
    ctx.moveTo(6, 0);
    ctx.lineTo(-4, -4.5);
    ctx.lineTo(-4, 4.5);
    ctx.closePath();
    ctx.fillStyle = colour;
    ctx.strokeStyle = '#FFFFFF';
    ctx.lineWidth = 1;
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }

  /* Text with a white halo; false where another mark is already there. */
  function write(page, text, x, y, { colour, size = 11, italic, bold, align = 'center', angle = 0, always } = {}) {
    const { ctx } = page;
    ctx.font = `${italic ? 'italic ' : ''}${bold ? 'bold ' : ''}${size}px ${signs.FONT}`;
    const width = ctx.measureText(text).width;
    const [w, h] = [Math.abs(width * Math.cos(angle)) + size, Math.abs(width * Math.sin(angle)) + size];
    const box = { x: align === 'left' ? x : x - w / 2, y: y - h / 2, w, h };
    if (!claim(page, box) && !always) return false;
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(angle);
    ctx.textAlign = align;
    ctx.textBaseline = 'middle';
    ctx.lineWidth = 3;
    ctx.lineJoin = 'round';
    ctx.strokeStyle = 'rgba(255, 255, 255, 0.9)';
    ctx.strokeText(text, 0, 0);
    ctx.fillStyle = colour;
    ctx.fillText(text, 0, 0);
    ctx.restore();
    return true;
  }

  function claim(page, box) {
    const meets = (other) => box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h && other.y < box.y + box.h;
    if (page.taken.some(meets)) return false;
    page.taken.push(box);
    return true;
  }

  return { Overlay };
})();
