/* Point symbols and legend keys on a canvas, from the table of symbols (style.py). Text is drawn as pixels, never as markup. */
'use strict';

globalThis.ms4 = globalThis.ms4 || {};

ms4.signs = (() => {
  const FONT = '"Source Sans Pro", "Source Sans", "Segoe UI", "DejaVu Sans", Arial, sans-serif';

  /* Each outline is a list of corners on a circle of radius 1, first corner first; y grows downwards. */
  const CORNERS = {
    square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
    diamond: [[0, -1.1], [1.1, 0], [0, 1.1], [-1.1, 0]],
    triangle: [[-1.1, -0.9], [1.1, -0.9], [0, 1.1]],
    hexagon: [[-1.1, 0], [-0.55, -0.95], [0.55, -0.95], [1.1, 0], [0.55, 0.95], [-0.55, 0.95]],
    pentagon: [[0, -1.1], [1.05, -0.3], [0.65, 0.95], [-0.65, 0.95], [-1.05, -0.3]],
    house: [[0, -1.1], [1, -0.2], [1, 0.9], [-1, 0.9], [-1, -0.2]],
  };

  function outline(ctx, shape, x, y, r) {
    ctx.beginPath();
    if (CORNERS[shape]) {
      CORNERS[shape].forEach(([dx, dy], i) => (i ? ctx.lineTo(x + dx * r, y + dy * r) : ctx.moveTo(x + dx * r, y + dy * r)));
      ctx.closePath();
    } else {
      ctx.arc(x, y, r, 0, 2 * Math.PI);
    }
  }

  function cross(ctx, x, y, r) {
    ctx.beginPath();
    ctx.moveTo(x - r, y - r);
    ctx.lineTo(x + r, y + r);
    ctx.moveTo(x + r, y - r);
    ctx.lineTo(x - r, y + r);
    ctx.stroke();
  }

  /* A flag pole that stands on the place: the place is its foot. */
  function flag(ctx, symbol, x, y, r) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x, y - 2 * r);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x, y - 2 * r);
    ctx.lineTo(x + 1.5 * r, y - 1.5 * r);
    ctx.lineTo(x, y - r);
    ctx.closePath();
    ctx.fill();
    if (symbol.name === 'case_late') cross(ctx, x, y, r * 0.3);
    if (symbol.name === 'case_corrected') outlineAndStroke(ctx, 'circle', x, y, r * 0.3);
  }

  function outlineAndStroke(ctx, shape, x, y, r) {
    outline(ctx, shape, x, y, r);
    ctx.stroke();
  }

  function letter(ctx, symbol, text, x, y, r, faint) {
    const dark = faint || !symbol.fill || symbol.fill === '#FFFFFF';
    ctx.fillStyle = dark ? (symbol.stroke === '#FFFFFF' ? symbol.fill : symbol.stroke) : '#FFFFFF';
    ctx.font = `bold ${Math.max(Math.round(r * 1.35), 8)}px ${FONT}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText(text, x, y + (symbol.shape === 'triangle' ? -r * 0.15 : r * 0.08));
  }

  /* One point symbol with its centre at x, y; `faint` is hollow: the flag rests on a doubtful link. */
  function draw(ctx, symbol, x, y, { scale = 1, faint = false, text = symbol.text } = {}) {
    const r = (symbol.size_px * scale) / 2;
    ctx.save();
    ctx.lineWidth = symbol.width_px;
    ctx.strokeStyle = symbol.stroke;
    ctx.fillStyle = symbol.fill || 'transparent';
    ctx.setLineDash(dashes(symbol.dash));
    if (symbol.shape === 'cross') cross(ctx, x, y, r * 0.8);
    else if (symbol.shape === 'flag') flag(ctx, symbol, x, y, r);
    else if (symbol.shape === 'tag') tag(ctx, symbol, text, x, y);
    else body(ctx, symbol, x, y, r, faint);
    if (text && !['flag', 'tag'].includes(symbol.shape) && r > 4) letter(ctx, symbol, text, x, y, r, faint);
    ctx.restore();
  }

  /* A small label with the letters of the conditions, as wide as they are. */
  function tag(ctx, symbol, text, x, y) {
    ctx.font = `bold 10px ${FONT}`;
    const width = ctx.measureText(text).width + 7;
    ctx.fillRect(x - width / 2, y - 7, width, 14);
    ctx.strokeRect(x - width / 2, y - 7, width, 14);
    ctx.fillStyle = symbol.stroke;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.fillText(text, x, y + 0.5);
  }

  function body(ctx, symbol, x, y, r, faint) {
    outline(ctx, symbol.shape, x, y, r);
    if (faint) {
      ctx.fillStyle = '#FFFFFF';
      ctx.strokeStyle = symbol.stroke === '#FFFFFF' ? symbol.fill : symbol.stroke;
      ctx.lineWidth = 2;
    }
    if (symbol.fill) ctx.fill();
    ctx.stroke();
  }

  function dashes(text) {
    return text ? text.split(' ').map(Number) : [];
  }

  const patterns = new Map();

  /* A repeating hatch of one colour, made once. */
  function hatch(kind, colour) {
    const key = kind + colour;
    if (!patterns.has(key)) patterns.set(key, makeHatch(kind, colour));
    return patterns.get(key);
  }

  function makeHatch(kind, colour) {
    const tile = document.createElement('canvas');
    tile.width = tile.height = 8;
    const ctx = tile.getContext('2d');
    ctx.strokeStyle = ctx.fillStyle = colour;
    ctx.lineWidth = 1;
    if (kind === 'dots') {
      ctx.fillRect(1, 1, 1.6, 1.6);
      ctx.fillRect(5, 5, 1.6, 1.6);
    } else {
      const up = kind === '45';
      [-8, 0, 8].forEach((shift) => {
        ctx.moveTo(shift, up ? 8 : 0);
        ctx.lineTo(shift + 8, up ? 0 : 8);
      });
      ctx.stroke();
    }
    return ctx.createPattern(tile, 'repeat');
  }

  /* A legend key: the symbol on a small canvas of its own. */
  function key(symbol) {
    const canvas = document.createElement('canvas');
    const ratio = globalThis.devicePixelRatio || 1;
    canvas.width = 26 * ratio;
    canvas.height = 18 * ratio;
    canvas.className = 'ms4-key';
    const ctx = canvas.getContext('2d');
    ctx.scale(ratio, ratio);
    if (symbol.kind === 'point') draw(ctx, symbol, 13, symbol.shape === 'flag' ? 17 : 9, { scale: Math.min(1, 15 / symbol.size_px) });
    else if (symbol.kind === 'line') lineKey(ctx, symbol);
    else areaKey(ctx, symbol);
    return canvas;
  }

  function lineKey(ctx, symbol) {
    const stroke = (colour, width, dash) => {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      ctx.setLineDash(dashes(dash));
      ctx.beginPath();
      ctx.moveTo(1, 9);
      ctx.lineTo(25, 9);
      ctx.stroke();
    };
    if (symbol.shape === 'cased') stroke(symbol.stroke, symbol.width_px + 2, '');
    stroke(symbol.shape === 'cased' ? symbol.fill : symbol.stroke, symbol.width_px, symbol.dash);
    ctx.setLineDash([]);
    if (symbol.shape === 'ticked') endTicks(ctx, symbol, [{ x: 2, y: 9 }, { x: 24, y: 9 }]);
    if (symbol.shape === 'drain') drainEnds(ctx, symbol, [{ x: 4, y: 9 }, { x: 23, y: 9 }]);
    if (symbol.text) tagLetter(ctx, symbol.text, 13, 9, symbol.stroke);
  }

  function areaKey(ctx, symbol) {
    ctx.beginPath();
    ctx.rect(3, 3, 20, 12);
    if (symbol.fill) {
      ctx.fillStyle = symbol.fill;
      ctx.fill();
    }
    if (symbol.hatch) {
      ctx.fillStyle = hatch(symbol.hatch, symbol.stroke);
      ctx.fill();
    }
    ctx.strokeStyle = symbol.stroke;
    ctx.lineWidth = symbol.width_px;
    ctx.setLineDash(dashes(symbol.dash).map((length) => length / 2));
    ctx.stroke();
    if (symbol.text) tagLetter(ctx, symbol.text, 13, 9, '#6B665C');
  }

  function tagLetter(ctx, text, x, y, colour) {
    ctx.font = `bold 10px ${FONT}`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'middle';
    ctx.lineWidth = 3;
    ctx.strokeStyle = '#FFFFFF';
    ctx.strokeText(text, x, y);
    ctx.fillStyle = colour;
    ctx.fillText(text, x, y);
  }

  /* Short strokes across both ends of a culvert. */
  function endTicks(ctx, symbol, points) {
    const ends = [[points[0], points[1]], [points[points.length - 1], points[points.length - 2]]];
    ctx.strokeStyle = symbol.stroke;
    ctx.lineWidth = symbol.width_px;
    ends.forEach(([end, next]) => {
      const angle = Math.atan2(next.y - end.y, next.x - end.x) + Math.PI / 2;
      const [dx, dy] = [5 * Math.cos(angle), 5 * Math.sin(angle)];
      ctx.beginPath();
      ctx.moveTo(end.x - dx, end.y - dy);
      ctx.lineTo(end.x + dx, end.y + dy);
      ctx.stroke();
    });
  }

  /* A private drain: an open circle at the premises, a dot at the connection. */
  function drainEnds(ctx, symbol, points) {
    const last = points[points.length - 1];
    ctx.strokeStyle = ctx.fillStyle = symbol.stroke;
    ctx.lineWidth = symbol.width_px;
    ctx.beginPath();
    ctx.arc(last.x, last.y, 2.5, 0, 2 * Math.PI);
    ctx.fill();
    ctx.beginPath();
    ctx.arc(points[0].x, points[0].y, 3, 0, 2 * Math.PI);
    ctx.fillStyle = '#FFFFFF';
    ctx.fill();
    ctx.stroke();
  }

  return { FONT, draw, key, hatch, dashes, endTicks, drainEnds, tagLetter };
})();
