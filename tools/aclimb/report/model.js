// The trace as it is drawn. A span is a number: its place in the columns, lane after lane, row after
// row.

function decode(data) {
  const trace = data.trace;
  const count = trace.spans.name.length;
  const model = {
    begin: trace.begin,
    end: Math.max(trace.end, trace.begin + 1),
    names: trace.names,
    codes: trace.codes,
    arguments: trace.arguments,
    devices: trace.devices,
    lanes: [],
    rows: [],
    starts: new Float64Array(count),
    durations: Float64Array.from(trace.spans.duration),
    name: Uint32Array.from(trace.spans.name),
    row: new Uint32Array(count),
    code: new Map(trace.spans.failed),
    failed: trace.spans.failed.map(pair => pair[0]),
    // Sums over all spans before one: what merged spans amount to.
    busyBefore: new Float64Array(count + 1),
    failedBefore: new Uint32Array(count + 1),
    runs: trace.runs,
    firstRun: count,
    runsOfCall: new Map(),
  };
  let span = 0;
  trace.lanes.forEach((lane, index) => {
    if (lane.stream && model.firstRun === count) model.firstRun = span;
    const made = {...lane, index, first: span, rows: []};
    for (const spans of lane.rows) {
      const row = {lane: made, index: model.rows.length, first: span, last: span + spans};
      let at = trace.begin;
      for (; span < row.last; ++span) {
        at += trace.spans.begin[span];
        model.starts[span] = at;
        model.row[span] = row.index;
        model.busyBefore[span + 1] = model.busyBefore[span] + model.durations[span];
        model.failedBefore[span + 1] = model.failedBefore[span] + (model.code.has(span) ? 1 : 0);
      }
      model.rows.push(row);
      made.rows.push(row);
    }
    made.last = span;
    model.lanes.push(made);
  });
  for (const device of model.devices) {
    device.at = Float64Array.from(device.at);
    device.bytes = Float64Array.from(device.bytes);
    device.peak = device.bytes.reduce((most, bytes) => Math.max(most, bytes), 0);
  }
  // From a call to what it queued.
  for (let run = 0; run < model.runs.id.length; ++run) {
    const call = callOf(model, model.firstRun + run);
    if (call < 0) continue;
    if (!model.runsOfCall.has(call)) model.runsOfCall.set(call, []);
    model.runsOfCall.get(call).push(model.firstRun + run);
  }
  colour(model, data);
  return model;
}

function isRun(model, span) {
  return span >= model.firstRun;
}

// The call that queued a run; -1 when the trace does not say.
function callOf(model, span) {
  const run = span - model.firstRun;
  const call = model.runs.call[run];
  return call < 0 ? -1 : model.lanes[model.runs.thread[run]].first + call;
}

// Index of the first of sorted values in [from, to) that is larger than `value`.
function firstAfter(values, value, from, to) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] > value) to = middle;
    else from = middle + 1;
  }
  return from;
}

// Operators get hues in the order of their times; their two phases have that of their runs.
function colour(model, data) {
  const operators = data.operators.map(row => row.name).filter(name => /^aclnn/.test(name));
  const hues = new Map(operators.map((name, i) => [name, `--hue-${i % 8}`]));
  model.colours = model.names.map(name => {
    const operator = name.replace(/GetWorkspaceSize$/, '');
    if (hues.has(operator)) return hues.get(operator);
    if (/^aclnn/.test(name)) return '--hue-7';
    if (/Synchronize/.test(name)) return '--wait';
    if (/^(copy|fill)\b|Malloc|Free|Mem(cpy|set)/.test(name)) return '--data';
    return '--other';
  });
  model.faint = model.names.map(name => /GetWorkspaceSize$/.test(name));
  model.legend = operators.slice(0, 8).map(name => [hues.get(name), name]);
  const used = new Set(model.colours);
  for (const [color, text] of [['--data', 'memory and copies'], ['--wait', 'waiting'],
                               ['--other', 'other']]) {
    if (used.has(color)) model.legend.push([color, text]);
  }
  if (model.failed.length > 0) model.legend.push(['--failed', 'failed']);
}
