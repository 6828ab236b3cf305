/* What stands on the map's edges: layers, chips, legend, coordinates, search. Everything from a file is set as text. */
'use strict';

ms4.controls = (() => {
  const { signs } = ms4;

  /* A DOM element; children are elements or text, and text is always set as text. */
  function el(tag, { onclick, ...attributes } = {}, ...children) {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    if (onclick) node.addEventListener('click', onclick);
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  function control(map, position, node) {
    const made = L.control({ position });
    made.onAdd = () => {
      L.DomEvent.disableClickPropagation(node);
      L.DomEvent.disableScrollPropagation(node);
      return node;
    };
    return made.addTo(map);
  }

  /* The list of layers with its counts; `onSwitch(name, on)` when one is switched. */
  function layerPanel(map, onSwitch) {
    const list = el('div', { class: 'ms4-list', hidden: '' });
    const button = el('button', { type: 'button', class: 'ms4-button', 'aria-expanded': 'false' }, 'Layers');
    button.addEventListener('click', () => {
      list.hidden = !list.hidden;
      button.setAttribute('aria-expanded', String(!list.hidden));
    });
    control(map, 'topright', el('div', { class: 'ms4-box ms4-layers' }, button, list));
    return {
      show(layers, isOn) {
        button.textContent = `Layers (${layers.filter(({ name }) => isOn(name)).length} of ${layers.length})`;
        const focused = list.contains(list.getRootNode().activeElement) ? list.getRootNode().activeElement.name : null;
        list.replaceChildren(...[...layers].reverse().map((layer) => layerSwitch(layer, isOn(layer.name), onSwitch)));
        if (focused) list.querySelector(`input[name="${focused}"]`)?.focus();
      },
    };
  }

  function layerSwitch({ name, title, count }, on, onSwitch) {
    const input = el('input', { type: 'checkbox', name });
    input.checked = on;
    input.addEventListener('change', () => onSwitch(name, input.checked));
    return el('label', {}, input, el('span', {}, title), el('span', { class: 'ms4-count' }, String(count)));
  }

  /* Flags by kind with the number in view; a chip that is not pressed takes its flags off the map. */
  function chipRow(map, style, onToggle) {
    const row = el('div', { class: 'ms4-chips', role: 'group', 'aria-label': 'Flags in view' });
    control(map, 'bottomleft', row);
    return {
      show(counts, isOff) {
        row.replaceChildren(...counts.map(([symbol, count]) => chip(style[symbol], count, isOff(symbol), onToggle)));
      },
    };
  }

  function chip(symbol, count, off, onToggle) {
    const label = `${symbol.label}: ${count} in view`;
    const attributes = { type: 'button', class: 'ms4-chip', 'aria-pressed': String(!off), 'aria-label': label, onclick: () => onToggle(symbol.name) };
    return el('button', attributes, signs.key(symbol), el('b', {}, String(count)), el('span', {}, symbol.label));
  }

  /* Keys of what is on the screen, and of nothing else. */
  function legend(map, style) {
    const list = el('div', { class: 'ms4-keys' });
    const box = el('details', { class: 'ms4-box ms4-legend' }, el('summary', {}, 'Legend'), list);
    box.open = map.getSize().y > 560;
    control(map, 'bottomleft', box);
    return {
      isOpen: () => box.open,
      show(names) {
        const rows = Object.keys(style).filter((name) => names.has(name));
        list.replaceChildren(...rows.map((name) => el('div', {}, signs.key(style[name]), el('span', {}, style[name].label))));
      },
    };
  }

  function coordinates(map) {
    const box = el('div', { class: 'ms4-coordinates', 'aria-hidden': 'true' });
    control(map, 'bottomright', box);
    map.on('mousemove', ({ latlng }) => {
      box.textContent = `${latlng.lat.toFixed(5)}, ${latlng.lng.toFixed(5)}`;
    });
  }

  function message(map) {
    const box = el('div', { class: 'ms4-box ms4-message', role: 'status', hidden: '' });
    control(map, 'topright', box);
    return {
      say(text) {
        box.textContent = text;
        box.hidden = !text;
      },
    };
  }

  /* A search field; `find(text)` gives [{subject, name}], `onPick(subject)` when one is chosen. */
  function searchBox(map, find, onPick) {
    const input = el('input', { type: 'search', placeholder: 'Search id, address, SBL', 'aria-label': 'Search id, address or section-block-lot' });
    const list = el('div', { class: 'ms4-hits', role: 'listbox', 'aria-label': 'Matches' });
    const box = el('div', { class: 'ms4-box ms4-search' }, input, list);
    let asked = 0;
    const pick = (subject) => {
      list.replaceChildren();
      onPick(subject);
    };
    const look = async () => {
      const mine = ++asked;
      const text = input.value.trim();
      const hits = text.length < 2 ? [] : await find(text);
      if (mine !== asked) return;
      const none = text.length >= 2 && !hits.length ? [el('div', { class: 'ms4-none' }, 'Nothing by that id, address or name')] : [];
      list.replaceChildren(...none, ...hits.map((hit) => hitRow(hit, pick)));
    };
    let timer = 0;
    input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(look, 200);
    });
    input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter') list.querySelector('button')?.click();
      if (event.key === 'Escape') list.replaceChildren();
    });
    control(map, 'topleft', box);
  }

  function hitRow({ subject, name }, pick) {
    const [layer] = subject.split(':');
    const kind = layer.replace(/_/g, ' ');
    return el('button', { type: 'button', role: 'option', onclick: () => pick(subject) }, el('span', {}, name), el('small', {}, kind));
  }

  return { el, layerPanel, chipRow, legend, coordinates, message, searchBox };
})();
