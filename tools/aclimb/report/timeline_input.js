// What mouse and keyboard do to the timeline, and what the tooltip tells.

// Lines of a span: its name, then pairs of label and text.
function describe(model, span) {
  const name = model.names[model.name[span]];
  const lane = model.rows[model.row[span]].lane;
  const lines = [];
  const told = {name, lane: lane.name, duration: model.durations[span], lines, code: ''};
  if (model.code.has(span)) {
    const code = model.code.get(span);
    told.code = `failed: ${code} ${model.codes[code] || ''}`.trim();
  }
  lines.push(['begin', timeText(model.starts[span] - model.begin)]);
  lines.push(['code', String(model.code.get(span) || 0)]);
  if (!isRun(model, span)) {
    const runs = model.runsOfCall.get(span) || [];
    if (runs.length > 0) {
      lines.push(['queued', runs.length > 1 ? countText(runs.length) + ' pieces of work'
                                            : model.names[model.name[runs[0]]]]);
    }
    return told;
  }
  const run = span - model.firstRun;
  const bytes = model.runs.bytes[run];
  const flops = model.runs.flops[run];
  // Bytes a nanosecond are GB/s; of what failed nobody knows how much it did.
  const rated = !model.code.has(span) && told.duration > 0;
  const rate = amount => rated ? digits(amount / told.duration) : '';
  if (model.runs.thread[run] >= 0) {
    lines.push(['waited', timeText(Math.max(0, model.starts[span] - model.runs.queued[run]))]);
  }
  if (bytes > 0) lines.push(['bytes', bytesText(bytes) + (rated ? `, ${rate(bytes)} GB/s` : '')]);
  if (flops > 0) {
    lines.push(['flops', digits(flops / 1e6) + ' million' + (rated ? `, ${rate(flops)} GFLOP/s` : '')]);
  }
  if (model.runs.workspace[run] > 0) {
    lines.push(['workspace', bytesText(model.runs.workspace[run])]);
  }
  const texts = model.runs.arguments[run];
  if (texts >= 0) lines.push(...model.arguments[texts]);
  return told;
}

function fillTip(tip, told) {
  tip.replaceChildren(element('h3', null, told.name));
  if (told.lane) {
    tip.append(element('p', null, `${timeText(told.duration)} on ${told.lane}`));
  }
  if (told.code) tip.append(element('p', {class: 'failed'}, told.code));
  const table = element('table');
  for (const [label, text] of told.lines) {
    table.append(element('tr', null, element('td', null, label), element('td', null, text)));
  }
  tip.append(table);
}

function placeTip(tip, x, y) {
  tip.hidden = false;
  // At the window's edge it would be narrower than it has to be.
  tip.style.left = '0';
  const {width, height} = tip.getBoundingClientRect();
  const left = x + 16 + width > innerWidth ? x - 16 - width : x + 16;
  tip.style.left = Math.max(4, left) + 'px';
  tip.style.top = Math.max(4, Math.min(y + 14, innerHeight - height - 8)) + 'px';
}

function listen(timeline) {
  const {model, canvas, scroll} = timeline;
  const tip = document.getElementById('tip');
  const selected = document.getElementById('selected');
  let drag = null;

  const hide = () => {
    tip.hidden = true;
    timeline.hovered = -1;
    timeline.pointer = null;
    timeline.later();
  };
  const hover = event => {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    timeline.pointer = {x, y};
    timeline.hovered = timeline.spanAt(x, y);
    const item = timeline.itemAt(y);
    if (timeline.hovered >= 0) {
      fillTip(tip, describe(model, timeline.hovered));
      placeTip(tip, event.clientX, event.clientY);
    } else if (item !== undefined && item.kind === 'memory') {
      const at = timeline.timeAt(x);
      const point = firstAfter(item.device.at, at, 0, item.device.at.length) - 1;
      fillTip(tip, {name: 'device memory', lines: [
        ['at', timeText(at - model.begin)],
        ['in use', bytesText(point < 0 ? 0 : item.device.bytes[point])]]});
      placeTip(tip, event.clientX, event.clientY);
    } else {
      tip.hidden = true;
    }
    timeline.later();
  };
  const select = span => {
    timeline.selected = span;
    if (span < 0) {
      selected.textContent = '';
      tip.hidden = true;
    } else {
      const told = describe(model, span);
      selected.textContent = [told.name, timeText(told.duration), 'on ' + told.lane, told.code,
                              ...told.lines.map(line => line.join(' '))].filter(Boolean).join(', ');
    }
    timeline.later();
  };
  // Selects by key: the tooltip stands beside the span.
  const selectShown = span => {
    if (span < 0) return;
    select(span);
    const {starts, durations} = model;
    const {begin, end} = timeline.view;
    if (starts[span] > end || starts[span] + durations[span] < begin) {
      const middle = starts[span] + durations[span] / 2;
      timeline.show(middle - (end - begin) / 2, middle + (end - begin) / 2);
    }
    timeline.reveal(span);
    const box = canvas.getBoundingClientRect();
    const y = model.rows[model.row[span]].y - scroll.scrollTop;
    fillTip(tip, describe(model, span));
    placeTip(tip, box.left + Math.min(Math.max(timeline.xOf(starts[span]), 0), timeline.width),
             box.top + y + kRow);
  };
  const nextFailure = () => {
    const after = model.failed.find(span => span > timeline.selected);
    const span = after ?? model.failed[0];
    if (span === undefined) return;
    timeline.showSpan(span);
    selectShown(span);
  };

  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      timeline.pan((event.deltaX || event.deltaY) * unit);
    } else {
      timeline.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.0025))),
                    event.clientX - box.left);
    }
    hover(event);
  }, {passive: false});
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    drag = {x: event.clientX, moved: false};
  });
  canvas.addEventListener('pointermove', event => {
    if (drag === null) return hover(event);
    if (!drag.moved && Math.abs(event.clientX - drag.x) < 4) return;
    drag.moved = true;
    canvas.classList.add('dragged');
    tip.hidden = true;
    timeline.pan(drag.x - event.clientX);
    drag.x = event.clientX;
  });
  canvas.addEventListener('pointerup', event => {
    if (drag !== null && !drag.moved) {
      hover(event);
      select(timeline.hovered);
    }
    drag = null;
    canvas.classList.remove('dragged');
  });
  canvas.addEventListener('pointercancel', () => { drag = null; hide(); });
  canvas.addEventListener('pointerleave', hide);
  canvas.addEventListener('blur', () => { tip.hidden = true; });
  canvas.addEventListener('dblclick', () => {
    if (timeline.hovered >= 0) timeline.showSpan(timeline.hovered);
  });
  scroll.addEventListener('scroll', () => timeline.later());

  // The span of a lane that is nearest to the middle of what is shown.
  const spanIn = lane => {
    const row = lane.rows[0];
    const from = timeline.selected >= 0 ? model.starts[timeline.selected]
      : (timeline.view.begin + timeline.view.end) / 2;
    const span = firstAfter(model.starts, from, row.first, row.last) - 1;
    return Math.max(row.first, span);
  };
  const filled = model.lanes.filter(lane => lane.rows.length > 0);
  const changeLane = by => {
    if (filled.length === 0) return;
    const now = timeline.selected < 0 ? -1
      : filled.indexOf(model.rows[model.row[timeline.selected]].lane);
    const next = now < 0 ? 0 : Math.min(Math.max(now + by, 0), filled.length - 1);
    selectShown(spanIn(filled[next]));
  };
  const changeSpan = by => {
    if (timeline.selected < 0) return changeLane(0);
    const row = model.rows[model.row[timeline.selected]];
    selectShown(Math.min(Math.max(timeline.selected + by, row.first), row.last - 1));
  };
  const keys = {
    ArrowLeft: () => timeline.pan(-timeline.width / 8),
    ArrowRight: () => timeline.pan(timeline.width / 8),
    ArrowUp: () => changeLane(-1),
    ArrowDown: () => changeLane(1),
    '+': () => timeline.zoom(1 / 1.5),
    '=': () => timeline.zoom(1 / 1.5),
    '-': () => timeline.zoom(1.5),
    '0': () => timeline.show(timeline.whole.begin, timeline.whole.end),
    Home: () => timeline.show(timeline.whole.begin, timeline.whole.end),
    ',': () => changeSpan(-1),
    '.': () => changeSpan(1),
    Enter: () => { if (timeline.selected >= 0) timeline.showSpan(timeline.selected); },
    Escape: () => select(-1),
    f: nextFailure,
  };
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  const press = (id, action) => document.getElementById(id).addEventListener('click', action);
  press('in', keys['+']);
  press('out', keys['-']);
  press('fit', keys['0']);
  press('fail', nextFailure);
  document.getElementById('fail').hidden = model.failed.length === 0;

  addEventListener('resize', () => timeline.resize());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    timeline.readColours();
    timeline.later();
  });
  return {
    // Shows a span that something else on the page names.
    goTo(span) {
      document.getElementById('timeline').scrollIntoView({block: 'nearest'});
      timeline.showSpan(span);
      select(span);
    },
  };
}
