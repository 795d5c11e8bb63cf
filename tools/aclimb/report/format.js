// Numbers as people read them, and elements of the page.

// Three digits that count, without an exponent.
function digits(value) {
  const whole = Math.abs(value);
  return value.toFixed(whole >= 99.95 ? 0 : whole >= 9.995 ? 1 : 2);
}

// Nanoseconds.
function timeText(time) {
  const whole = Math.abs(time);
  if (whole >= 999.5e6) return digits(time / 1e9) + ' s';
  if (whole >= 999.5e3) return digits(time / 1e6) + ' ms';
  if (whole >= 1e3) return digits(time / 1e3) + ' µs';
  return Math.round(time) + ' ns';
}

function bytesText(bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    ++unit;
  }
  return (unit === 0 ? String(bytes) : digits(bytes)) + ' ' + units[unit];
}

function countText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

function plural(count, one, many) {
  return countText(count) + ' ' + (count === 1 ? one : many);
}

// What is in it is text, never markup.
function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

function swatch(color) {
  const made = element('i');
  made.style.background = `var(${color})`;
  return made;
}
