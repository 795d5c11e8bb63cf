// Puts the page together.

function fillHeader(data) {
  const about = document.getElementById('about');
  const parts = [];
  if (data.date) parts.push(data.date.replace('T', ' ').replace('Z', ' UTC'));
  about.append(parts.join(', '));
  if (!data.complete) {
    about.append(parts.length > 0 ? ' – ' : '',
                 element('span', {class: 'broken'},
                         'The trace breaks off: the program crashed, was killed, or still runs.'));
  }
  const facts = document.getElementById('facts');
  const add = (label, text, failed) => {
    facts.append(element('div', failed ? {class: 'failed'} : null, element('dt', null, label),
                         element('dd', null, text)));
  };
  add('duration', timeText(data.duration_us * kMicrosecond));
  add('devices', countText(data.devices.length));
  add('streams', countText(data.streams));
  add('threads', countText(data.threads));
  add('calls', countText(data.calls));
  add('work on streams', countText(data.runs));
  add('failed calls', countText(data.failed_calls), data.failed_calls > 0);
  if (data.failed_runs > 0) add('failed work', countText(data.failed_runs), true);
  const peak = data.devices.reduce((most, device) => Math.max(most, device.peak_memory), 0);
  if (peak > 0) add(data.devices.length > 1 ? 'peak memory of a device' : 'peak memory', bytesText(peak));
  if (data.findings !== null) {
    const mistakes = data.findings.filter(finding => !finding.note).length;
    add('findings', countText(mistakes), mistakes > 0);
  }
}

function main() {
  const began = performance.now();
  const data = JSON.parse(document.getElementById('data').textContent);
  fillHeader(data);
  const model = decode(data);
  for (const [color, text] of model.legend) {
    document.getElementById('legend').append(element('li', null, swatch(color), text));
  }
  const timeline = new Timeline(model);
  document.getElementById('timeline').dataset.drawnAfter = (performance.now() - began).toFixed(1);
  const {goTo} = listen(timeline);
  const show = ([lane, span]) => goTo(model.lanes[lane].first + span);
  const colours = new Map(model.names.map((name, i) => [name, model.colours[i]]));
  const colourOf = name => colours.get(name);
  fillTable('operators', data.operators, [...kTimes, ...kRates], colourOf, show);
  fillTable('functions', data.functions, kTimes, colourOf, show);
  if (data.limit_threads !== null) {
    const note = document.getElementById('limit-note');
    note.hidden = false;
    note.textContent = 'The limit: the bytes at the fastest mix of reads and writes that was ' +
      'measured where they fit (L2, L3 or memory), or the arithmetic at its measured peak, ' +
      `whichever takes longer; ${plural(data.limit_threads, 'thread', 'threads')}.`;
  }
  fillFindings(data.findings);
}

main();
