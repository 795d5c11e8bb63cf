// The tables of numbers, sorted by what is clicked, and the checker's findings.

const kMicrosecond = 1000;

// Columns: title, the row's value (null: none), its text. The first one is the name.
const kTimes = [
  ['count', row => row.count, countText],
  ['failed', row => row.failed, countText],
  ['total', row => row.total_us, us => timeText(us * kMicrosecond)],
  ['median', row => row.median_us, us => timeText(us * kMicrosecond)],
  ['largest', row => row.largest_us, us => timeText(us * kMicrosecond)],
];
const kRates = [
  ['GB/s', row => row['GB/s'], digits],
  ['GFLOP/s', row => row['GFLOP/s'], digits],
  ['of the limit', row => row.share_of_limit, share => digits(share * 100) + ' %'],
];

function part(share) {
  const filled = element('span');
  filled.style.width = Math.min(100, share * 100) + '%';
  return element('span', {class: 'part', 'aria-hidden': 'true'}, filled);
}

function cell(title, value, text, all) {
  const made = element('td', null, value === null ? '–' : text(value));
  if (value === null || (title === 'failed' && value === 0)) made.className = 'none';
  if (title === 'failed' && value > 0) made.className = 'failed';
  if (title === 'total' && all > 0) made.append(part(value / all));
  if (title === 'of the limit' && value !== null) made.append(part(value));
  return made;
}

function fillTable(id, rows, columns, colourOf, goTo) {
  const table = document.getElementById(id);
  const all = rows.reduce((sum, row) => sum + row.total_us, 0);
  columns = columns.filter(([title, value]) =>
    kTimes.some(each => each[0] === title) || rows.some(row => value(row) !== null));
  const sorted = [['name', row => row.name], ...columns];
  const body = element('tbody');
  const head = element('tr');
  let order = {column: sorted.findIndex(each => each[0] === 'total'), down: true};

  const fill = () => {
    const value = sorted[order.column][1];
    const sign = order.down ? -1 : 1;
    rows.sort((a, b) => {
      const x = value(a), y = value(b);
      // What has no value comes last.
      if (x === null || y === null) return (x === null) - (y === null);
      return sign * (typeof x === 'string' ? x.localeCompare(y) : x - y);
    });
    body.replaceChildren(...rows.map(row => {
      const name = element('button', {type: 'button', title: 'Show the largest one'}, row.name);
      name.addEventListener('click', () => goTo(row.largest_at));
      return element('tr', null, element('td', null, swatch(colourOf(row.name)), name),
                     ...columns.map(([title, of, text]) => cell(title, of(row), text, all)));
    }));
    [...head.children].forEach((th, i) => {
      th.setAttribute('aria-sort', i !== order.column ? 'none'
        : order.down ? 'descending' : 'ascending');
    });
  };
  sorted.forEach(([title], i) => {
    const button = element('button', {type: 'button'}, title);
    button.addEventListener('click', () => {
      order = {column: i, down: i === order.column ? !order.down : i > 0};
      fill();
    });
    head.append(element('th', {scope: 'col'}, button));
  });
  table.replaceChildren(element('thead', null, head), body);
  fill();
  if (rows.length === 0) table.parentElement.replaceChildren(element('p', {class: 'hint'}, 'None.'));
}

function fillFindings(findings) {
  if (findings === null) return;
  document.getElementById('findings').hidden = false;
  const list = document.getElementById('finding-list');
  if (findings.length === 0) {
    list.append(element('p', {class: 'hint'}, 'It found nothing.'));
  }
  for (const finding of findings) {
    const card = element('article', {class: finding.note ? 'finding note' : 'finding'});
    card.append(element('p', {class: 'rule'},
                        finding.rule + (finding.count > 1 ? ` (${finding.count} times)` : '')));
    const where = finding.function === '' ? '' : finding.function + ': ';
    card.append(element('p', {class: 'what'}, where + finding.what));
    const calls = element('ul');
    for (const call of finding.involved) {
      calls.append(element('li', null, call.what,
                           ...call.frames.map(frame => element('code', null, 'at ' + frame))));
    }
    card.append(calls, element('p', {class: 'fix'}, element('b', null, 'Fix:'), finding.fix));
    list.append(card);
  }
}
