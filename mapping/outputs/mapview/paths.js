/* Leaflet paths on one canvas: GeoJSON features become signs, lines and areas in the order of the layers. */
'use strict';

ms4.paths = (() => {
  const { signs } = ms4;
  const SCALES = [[13, 0.55], [14, 0.7], [15, 0.85]];
  const BACKGROUND = new Set([
    'boundary', 'watershed', 'watershed_303d', 'watershed_tmdl', 'sewershed', 'sewershed_terrain', 'sewershed_surveyed',
  ]);

  /* Structures shrink when zoomed out; flags and cases keep their size, they are what the map is for. */
  function scaleAt(zoom, symbol) {
    if (/^(flag|case)_/.test(symbol.name)) return zoom < 13 ? 0.8 : 1;
    const step = SCALES.find(([limit]) => zoom <= limit);
    return step ? step[1] : 1;
  }

  const Sign = L.CircleMarker.extend({
    _updatePath() {
      const { symbol, faint, text } = this.options;
      const renderer = this._renderer;
      const zoom = this._map.getZoom();
      if (!renderer._drawing || this._empty() || zoom < symbol.near) return;
      const { x, y } = this._centre();
      signs.draw(renderer._ctx, symbol, x, y, { scale: scaleAt(zoom, symbol), faint, text });
    },
    /* A flag on a structure stands beside it, the next one beside that, so that none hides another. */
    _centre() {
      const { slot, symbol } = this.options;
      if (slot === undefined) return this._point;
      const shift = symbol.shape === 'tag' ? 24 : -20 - 18 * slot;
      return this._point.add([shift, 0]);
    },
    _updateBounds() {
      const reach = L.point(this._radius, this._radius).add([30, 4]).add([18 * (this.options.slot || 0), 0]);
      this._pxBounds = L.bounds(this._point.subtract(reach), this._point.add(reach));
    },
    _containsPoint(point) {
      if (this._map.getZoom() < this.options.symbol.near) return false;
      const isFlag = this.options.symbol.shape === 'flag';
      const reach = isFlag ? this._radius / 2 : this._radius;
      return point.distanceTo(this._centre().subtract([0, isFlag ? reach : 0])) <= reach;
    },
  });

  const hidden = (path) => path.options.near && path._map.getZoom() < path.options.near;

  const Line = L.Polyline.extend({
    _updatePath() {
      if (hidden(this)) return;
      this._renderer._updatePoly(this);
      if (this.options.ends && this._renderer._drawing) this._drawEnds();
    },
    _drawEnds() {
      const ctx = this._renderer._ctx;
      const { symbol } = this.options;
      ctx.setLineDash([]);
      ctx.globalAlpha = 1;
      if (this._map.getZoom() < 15) return;
      this._rings.filter((ring) => ring.length > 1).forEach((ring) => signs[this.options.ends](ctx, symbol, ring));
    },
  });

  const Area = L.Polygon.extend({
    _updatePath() {
      if (hidden(this)) return;
      this._renderer._updatePoly(this, true);
    },
    _containsPoint(point) {
      return !hidden(this) && L.Polygon.prototype._containsPoint.call(this, point);
    },
  });

  const plainFillStroke = L.Canvas.prototype._fillStroke;
  L.Canvas.include({
    _fillStroke(ctx, layer) {
      const { hatch, color } = layer.options;
      if (!hatch) {
        plainFillStroke.call(this, ctx, layer);
        return;
      }
      const only = (part) => ({ options: Object.assign(Object.create(layer.options), part) });
      plainFillStroke.call(this, ctx, only({ stroke: false }));
      ctx.globalAlpha = 0.55;
      ctx.fillStyle = signs.hatch(hatch, color);
      ctx.fill('evenodd');
      plainFillStroke.call(this, ctx, only({ fill: false }));
    },
  });

  function latlngs(geometry) {
    return L.GeoJSON.coordsToLatLngs(geometry.coordinates, { LineString: 0, MultiLineString: 1, Polygon: 1, MultiPolygon: 2 }[geometry.type]);
  }

  function areaPaths(symbol, geometry, properties) {
    const quiet = BACKGROUND.has(symbol.name);
    const edge = {
      color: symbol.stroke, weight: symbol.width_px, dashArray: symbol.dash || null, near: symbol.near,
      fill: !quiet || Boolean(symbol.hatch), fillColor: symbol.fill || '#FFFFFF', fillOpacity: symbol.fill ? 0.75 : 0,
      hatch: symbol.hatch, interactive: !quiet, feature: properties, opacity: 1,
    };
    const over = [new Area(latlngs(geometry), edge)];
    const band = { color: symbol.stroke, weight: 9, opacity: 0.12, fill: false, interactive: false };
    return { over, under: symbol.shape === 'band' ? [new Area(latlngs(geometry), band)] : [] };
  }

  /* A brook that is impaired wears a band of the colour; the band is dashed or dotted where the area would be hatched. */
  function streamPaths(symbol, geometry, properties, plain) {
    const over = [new Line(latlngs(geometry), { color: plain.stroke, weight: 2, feature: properties })];
    if (symbol.name === plain.name) return { over, under: [] };
    const dash = { 45: null, dots: '1 9', 135: '12 6' }[symbol.hatch];
    const band = { color: symbol.stroke, weight: 7, opacity: 0.5, dashArray: dash, interactive: false };
    return { over, under: [new Line(latlngs(geometry), band)] };
  }

  function linePaths(symbol, geometry, properties) {
    const casing = { color: symbol.stroke, weight: symbol.width_px + 2, opacity: 1, interactive: false };
    const cased = symbol.shape === 'cased';
    const line = {
      color: cased ? symbol.fill : symbol.stroke, weight: symbol.width_px, opacity: 1, near: symbol.near,
      dashArray: properties.dash || symbol.dash || null, lineCap: 'butt', feature: properties, symbol,
      ends: { ticked: 'endTicks', drain: 'drainEnds' }[symbol.shape],
    };
    return { over: [new Line(latlngs(geometry), line)], under: cased ? [new Line(latlngs(geometry), casing)] : [] };
  }

  function pointPaths(symbol, geometry, properties) {
    const points = geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
    const radius = symbol.shape === 'flag' ? symbol.size_px : Math.max(symbol.size_px * 0.75, 7);
    const { faint, slot, tag } = properties;
    const options = { radius, symbol, faint, slot, text: tag || symbol.text, feature: properties };
    return { over: points.map(([lng, lat]) => new Sign([lat, lng], options)), under: [] };
  }

  /* The paths of one GeoJSON feature: `under` is drawn before every `over` of the layer. */
  function ofFeature(style, feature) {
    const { geometry, properties } = feature;
    const symbol = style[properties.symbol];
    if (/Point$/.test(geometry.type)) return pointPaths(symbol, geometry, properties);
    if (/LineString$/.test(geometry.type)) {
      return symbol.shape === 'water' ? streamPaths(symbol, geometry, properties, style.water) : linePaths(symbol, geometry, properties);
    }
    return areaPaths(symbol, geometry, properties);
  }

  /* One layer of the map as a group whose members each carry `options.feature`. */
  function ofLayer(style, collection) {
    const parts = collection.features.map((feature) => ofFeature(style, feature));
    return L.featureGroup([...parts.flatMap((part) => part.under), ...parts.flatMap((part) => part.over)]);
  }

  return { ofLayer, Line, Area, Sign, scaleAt };
})();
