// The timeline: what is visible is drawn, and what is narrower than a pixel is drawn together.

const kRow = 20, kGap = 8, kGroup = 26, kMemory = 72, kAxis = 26;

class Timeline {
  constructor(model) {
    this.model = model;
    this.axis = document.getElementById('axis');
    this.canvas = document.getElementById('lanes');
    this.scroll = document.getElementById('scroll');
    this.labels = document.getElementById('labels');
    this.hovered = -1;
    this.selected = -1;
    this.pointer = null;
    this.layOut();
    // A little air on both sides.
    const air = (model.end - model.begin) * 0.01;
    this.whole = {begin: model.begin - air, end: model.end + air};
    this.view = {...this.whole};
    this.readColours();
    this.resize();
  }

  // Heights and labels of the lanes, which stay as they are.
  layOut() {
    const model = this.model;
    this.items = [];
    let y = 0;
    const add = (kind, height, label, more) => {
      const made = element('div', {class: kind}, ...label);
      made.style.top = y + 'px';
      made.style.height = made.style.lineHeight = height + 'px';
      this.labels.append(made);
      this.items.push({kind, y, height, ...more});
      y += height;
      return made;
    };
    const addLane = lane => {
      const height = Math.max(1, lane.rows.length) * kRow + kGap;
      const made = add('lane', height, [lane.name], {lane});
      if (lane.rows.length === 0) made.classList.add('idle');
    };
    add('group', kGroup, ['program']);
    model.lanes.filter(lane => !lane.stream).forEach(addLane);
    for (const device of model.devices) {
      add('group', kGroup, [device.name]);
      model.lanes.filter(lane => lane.stream && lane.process === device.process).forEach(addLane);
      if (device.peak === 0) continue;
      const made = add('memory', kMemory, ['memory', element('small', null, 'peak ' + bytesText(device.peak))],
                       {device});
      made.style.lineHeight = '1.4';
      made.style.paddingTop = '18px';
    }
    this.height = y + 4;
    this.labels.style.height = this.height + 'px';
    for (const item of this.items) {
      if (item.kind !== 'lane') continue;
      item.lane.rows.forEach((row, i) => { row.y = item.y + kGap / 2 + i * kRow; });
    }
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const cache = {};
    this.colour = name => cache[name] ??= style.getPropertyValue(name).trim();
    const fonts = getComputedStyle(document.body).fontFamily;
    this.font = '11px ' + fonts;
  }

  resize() {
    this.width = Math.max(50, this.scroll.clientWidth - this.labels.offsetWidth);
    this.visible = Math.min(this.height, Math.max(160, Math.floor(innerHeight * 0.7)));
    const ratio = devicePixelRatio || 1;
    for (const [canvas, height] of [[this.axis, kAxis], [this.canvas, this.visible]]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = this.width + 'px';
      canvas.style.height = height + 'px';
      canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.draw();
  }

  get scale() { return this.width / (this.view.end - this.view.begin); }
  xOf(time) { return (time - this.view.begin) * this.scale; }
  timeAt(x) { return this.view.begin + x / this.scale; }

  // Never further out than everything, nor further in than a few nanoseconds.
  show(begin, end) {
    const widest = this.whole.end - this.whole.begin;
    const length = Math.min(Math.max(end - begin, 20), widest);
    begin = (begin + end - length) / 2;
    begin = Math.min(Math.max(begin, this.whole.begin), this.whole.end - length);
    this.view = {begin, end: begin + length};
    this.later();
  }

  zoom(factor, x = this.width / 2) {
    const at = this.timeAt(x);
    const length = Math.min((this.view.end - this.view.begin) * factor,
                            this.whole.end - this.whole.begin);
    const begin = at - x / this.width * length;
    this.show(begin, begin + length);
  }

  pan(pixels) {
    const time = pixels / this.scale;
    this.show(this.view.begin + time, this.view.end + time);
  }

  showSpan(span) {
    const {starts, durations} = this.model;
    const air = Math.max(durations[span] * 1.5, 100);
    this.show(starts[span] - air, starts[span] + durations[span] + air);
    this.reveal(span);
  }

  // Scrolls to the span's lane.
  reveal(span) {
    const y = this.model.rows[this.model.row[span]].y;
    if (y < this.scroll.scrollTop) this.scroll.scrollTop = y - kGroup;
    const bottom = this.scroll.scrollTop + this.scroll.clientHeight;
    if (y + kRow > bottom) this.scroll.scrollTop = y + kRow + kGap - this.scroll.clientHeight;
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const context = this.canvas.getContext('2d');
    context.font = this.font;
    context.clearRect(0, 0, this.width, this.visible);
    const top = this.scroll.scrollTop;
    this.drawAxis(context);
    context.save();
    context.translate(0, -top);
    for (const item of this.items) {
      if (item.y + item.height < top || item.y > top + this.visible) continue;
      if (item.kind === 'group') {
        context.fillStyle = this.colour('--line');
        context.fillRect(0, item.y + kGroup - 1, this.width, 1);
      } else if (item.kind === 'memory') {
        this.drawMemory(context, item);
      } else {
        for (const row of item.lane.rows) this.drawRow(context, row);
      }
    }
    this.drawMarks(context);
    context.restore();
    if (this.pointer) {
      context.fillStyle = this.colour('--soft');
      context.globalAlpha = 0.5;
      context.fillRect(this.pointer.x, 0, 1, this.visible);
      context.globalAlpha = 1;
    }
  }

  drawAxis(lanes) {
    const axis = this.axis.getContext('2d');
    axis.clearRect(0, 0, this.width, kAxis);
    axis.font = this.font;
    axis.textBaseline = 'middle';
    const least = 90 / this.scale;
    let step = Math.pow(10, Math.ceil(Math.log10(least)));
    for (const part of [5, 2]) if (step / part >= least) { step /= part; break; }
    const from = Math.ceil((this.view.begin - this.model.begin) / step);
    for (let i = from; this.model.begin + i * step < this.view.end; ++i) {
      const x = Math.round(this.xOf(this.model.begin + i * step));
      axis.fillStyle = this.colour('--line');
      axis.fillRect(x, kAxis - 6, 1, 6);
      axis.fillStyle = this.colour('--soft');
      axis.fillText(this.tickText(i * step, step), x + 4, kAxis / 2);
      lanes.fillStyle = this.colour('--grid');
      lanes.fillRect(x, 0, 1, this.visible);
    }
  }

  // Enough decimals to tell a tick from the next.
  tickText(time, step) {
    const reach = Math.max(Math.abs(this.view.begin - this.model.begin),
                           this.view.end - this.model.begin);
    const [unit, name] = reach >= 2e9 ? [1e9, 's'] : reach >= 2e6 ? [1e6, 'ms']
      : reach >= 2e3 ? [1e3, 'µs'] : [1, 'ns'];
    const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / unit) + 1e-9)));
    return (time / unit).toFixed(decimals) + ' ' + name;
  }

  drawRow(context, row) {
    const {starts, durations, busyBefore, failedBefore, code} = this.model;
    const {begin, end} = this.view;
    const scale = this.scale;
    const height = kRow - 3;
    let span = Math.max(row.first, firstAfter(starts, begin, row.first, row.last) - 1);
    if (span < row.last && starts[span] + durations[span] < begin) ++span;
    while (span < row.last && starts[span] < end) {
      const x = this.xOf(starts[span]);
      const width = durations[span] * scale;
      if (width >= 1.5) {
        this.drawSpan(context, span, x, width, row.y, height, code.has(span));
        ++span;
        continue;
      }
      const pixel = Math.floor(x);
      const until = this.timeAt(pixel + 1);
      let next = Math.max(span + 1, firstAfter(starts, until, span, row.last));
      if (next - 1 > span && durations[next - 1] * scale >= 1.5) --next;
      // The longest one gives the colour.
      let longest = span;
      for (let other = span + 1; other < next; ++other) {
        if (durations[other] > durations[longest]) longest = other;
      }
      const busy = (busyBefore[next] - busyBefore[span]) * scale;
      const failed = failedBefore[next] > failedBefore[span];
      context.fillStyle = this.colour(failed ? '--failed' : this.model.colours[this.model.name[longest]]);
      context.globalAlpha = failed ? 1 : Math.min(1, 0.35 + 0.65 * busy);
      context.fillRect(pixel, row.y, failed ? 2 : 1, height);
      context.globalAlpha = 1;
      span = next;
    }
  }

  drawSpan(context, span, x, width, y, height, failed) {
    const {model} = this;
    const name = model.name[span];
    const left = Math.max(x, -4);
    const right = Math.min(x + width, this.width + 4);
    const shown = Math.max(1, right - left - (width > 3 ? 0.5 : 0));
    context.fillStyle = this.colour(failed ? '--failed' : model.colours[name]);
    context.globalAlpha = model.faint[name] && !failed ? 0.5 : 1;
    context.beginPath();
    if (shown > 5) context.roundRect(left, y, shown, height, 3);
    else context.rect(left, y, shown, height);
    context.fill();
    context.globalAlpha = 1;
    if (shown < 34) return;
    const textLeft = Math.max(left, 0) + 5;
    const room = Math.min(right, this.width) - textLeft - 4;
    const text = this.fitted(context, model.names[name], room);
    if (text === '') return;
    const pale = failed ? false : model.faint[name] || model.colours[name] === '--wait';
    context.fillStyle = this.colour(pale ? '--text' : '--on-span');
    context.textBaseline = 'middle';
    context.fillText(text, textLeft, y + height / 2 + 0.5);
  }

  // The text, cut to the room that there is; without the prefix that all names have when it is small.
  fitted(context, text, room) {
    this.widths ??= new Map();
    const widthOf = each => {
      if (!this.widths.has(each)) this.widths.set(each, context.measureText(each).width);
      return this.widths.get(each);
    };
    if (widthOf(text) <= room) return text;
    const short = text.replace(/^acl(nn|rt)?(?=[A-Z])/, '');
    if (widthOf(short) <= room) return short;
    const letters = Math.floor(short.length * room / widthOf(short)) - 1;
    return letters < 3 ? '' : short.slice(0, letters) + '…';
  }

  drawMemory(context, item) {
    const {at, bytes, peak} = item.device;
    const base = item.y + item.height - 8;
    const tall = item.height - 18;
    const yOf = value => Math.round(base - value / peak * tall);
    context.strokeStyle = this.colour('--grid');
    context.beginPath();
    context.moveTo(0, base + 0.5);
    context.lineTo(this.width, base + 0.5);
    context.stroke();
    let point = firstAfter(at, this.view.begin, 0, at.length);
    let value = point > 0 ? bytes[point - 1] : 0;
    const last = firstAfter(at, this.view.end, point, at.length);
    if (last - point > this.width) return this.drawMemoryRange(context, item.device, point, base, yOf);
    const path = new Path2D();
    path.moveTo(-2, yOf(value));
    while (point < at.length && at[point] <= this.view.end) {
      // All changes within a pixel: their highest and their last.
      const x = Math.floor(this.xOf(at[point]));
      const until = this.timeAt(x + 1);
      const before = value;
      let most = value;
      for (; point < at.length && at[point] < until; ++point) {
        most = Math.max(most, bytes[point]);
        value = bytes[point];
      }
      path.lineTo(x, yOf(before));
      path.lineTo(x, yOf(most));
      path.lineTo(x, yOf(value));
    }
    path.lineTo(this.width + 2, yOf(value));
    context.strokeStyle = this.colour('--memory-line');
    context.lineWidth = 2;
    context.stroke(path);
    context.lineWidth = 1;
    path.lineTo(this.width + 2, base);
    path.lineTo(-2, base);
    context.fillStyle = this.colour('--memory-fill');
    context.fill(path);
  }

  // More changes than pixels: the highest value of each pixel, and how far down it went.
  drawMemoryRange(context, {at, bytes}, point, base, yOf) {
    let value = point > 0 ? bytes[point - 1] : 0;
    for (let x = 0; x < this.width; ++x) {
      const until = this.timeAt(x + 1);
      let most = value, least = value;
      for (; point < at.length && at[point] < until; ++point) {
        value = bytes[point];
        most = Math.max(most, value);
        least = Math.min(least, value);
      }
      const top = yOf(most);
      context.fillStyle = this.colour('--memory-fill');
      context.fillRect(x, top, 1, base - top);
      context.fillRect(x, top, 1, yOf(least) - top);
      context.fillStyle = this.colour('--memory-line');
      context.fillRect(x, top - 1, 1, 2);
    }
  }

  // Frames around the hovered and the selected span, and arrows from calls to what they queued.
  drawMarks(context) {
    const {model} = this;
    const spans = new Set([this.hovered, this.selected].filter(span => span >= 0));
    for (const span of spans) {
      const arrows = isRun(model, span) ? [span] : (model.runsOfCall.get(span) || []);
      // More would be a blot.
      for (const run of arrows.slice(0, 200)) this.drawArrow(context, run);
      const row = model.rows[model.row[span]];
      const x = this.xOf(model.starts[span]);
      const left = Math.max(x, -4);
      const right = Math.min(x + model.durations[span] * this.scale, this.width + 4);
      if (right < 0 || left > this.width) continue;
      context.strokeStyle = this.colour('--text');
      context.lineWidth = 2;
      context.strokeRect(left - 1, row.y - 1, Math.max(right - left, 1) + 2, kRow - 1);
      context.lineWidth = 1;
    }
  }

  drawArrow(context, run) {
    const {model} = this;
    const index = run - model.firstRun;
    const thread = model.runs.thread[index];
    if (thread < 0) return;
    const call = callOf(model, run);
    const row = call >= 0 ? model.rows[model.row[call]] : model.lanes[thread].rows[0];
    if (row === undefined) return;
    const x0 = this.xOf(model.runs.queued[index]);
    const y0 = row.y + kRow - 3;
    const x1 = this.xOf(model.starts[run]);
    const y1 = model.rows[model.row[run]].y;
    if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > this.width + 50) return;
    const bend = Math.max(20, Math.abs(y1 - y0) / 2);
    context.strokeStyle = context.fillStyle = this.colour('--text');
    context.lineWidth = 1.25;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1 - 3);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 4, y1 - 7);
    context.lineTo(x1 + 4, y1 - 7);
    context.fill();
    context.beginPath();
    context.arc(x0, y0, 2.5, 0, 7);
    context.fill();
    context.lineWidth = 1;
  }

  itemAt(y) {
    const at = y + this.scroll.scrollTop;
    return this.items.find(item => at >= item.y && at < item.y + item.height);
  }

  // The span below a point of the canvas, within two pixels: the longest one; -1 for none.
  spanAt(x, y) {
    const item = this.itemAt(y);
    if (item === undefined || item.kind !== 'lane') return -1;
    const at = y + this.scroll.scrollTop;
    const row = item.lane.rows.find(each => at >= each.y && at < each.y + kRow);
    if (row === undefined) return -1;
    const {starts, durations} = this.model;
    const time = this.timeAt(x);
    const near = 2 / this.scale;
    const after = firstAfter(starts, time + near, row.first, row.last);
    let best = -1;
    for (let span = after - 1; span >= row.first && span > after - 500; --span) {
      if (starts[span] + durations[span] < time - near) break;
      const inside = starts[span] <= time && starts[span] + durations[span] >= time;
      if (inside && durations[span] > near) return span;
      if (best < 0 || durations[span] > durations[best]) best = span;
    }
    return best;
  }
}
