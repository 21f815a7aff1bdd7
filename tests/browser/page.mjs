// The status page in a real browser (Debian's Chromium), as a reader, a keyboard, a phone and a screen reader meet it.
// Arguments: directory of node_modules, Chromium, the page's address, directory for pictures, the scenario and its words.
// Prints "reached NAME" at each step that the caller waits for, and "fault: ..." for all that is wrong; exits with 1 then.
import {createRequire} from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [modules, chromium, address, pictures, scenario, ...words] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'x.js'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const patience = 60000;

let faults = 0;
const fault = (text) => {
  faults += 1;
  console.log(`fault: ${text}`);
};
const check = (holds, text) => holds || fault(text);
const reached = (name) => console.log(`reached ${name}`);

const browser = await puppeteer.launch({
  executablePath: chromium,
  headless: true,
  args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--no-proxy-server'],
});

// A tab whose errors and foreign requests are faults. `calm`: errors that the scenario itself causes are not.
const open = async ({width = 1440, height = 1000, dark = false, script = true, calm = false, query = ''} = {}) => {
  const page = await browser.newPage();
  await page.setViewport({width, height, isMobile: width < 500, hasTouch: width < 500});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]);
  await page.setJavaScriptEnabled(script);
  page.on('console', (line) => calm || !['error', 'warn'].includes(line.type()) || fault(`console: ${line.text()}`));
  page.on('pageerror', (error) => fault(`script: ${error}`));
  page.on('dialog', (dialog) => fault(`dialog: ${dialog.message()}`));
  page.on('request', (request) => request.url().startsWith(address) || fault(`a request to ${request.url()}`));
  const answer = await page.goto(address + query, {waitUntil: 'load'});
  check(answer.status() === 200, `HTTP ${answer.status()}`);
  return page;
};
const text = (page, selector) => page.$eval(selector, (element) => element.textContent);
const until = (page, what, ...more) => page.waitForFunction(what, {timeout: patience, polling: 100}, ...more);
const says = (page, selector, part) =>
  until(page, (at, wanted) => document.querySelector(at)?.textContent.includes(wanted), selector, part);
const picture = (page, name) => page.screenshot({path: path.join(pictures, `${name}.png`), fullPage: true});

const accessible = async (page, name) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document));
  for (const finding of found.violations)
    fault(`axe, ${name}: ${finding.id}: ${finding.help}: ${finding.nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
};
// As a table of numbers on a phone would break them.
const whole_words = async (page, name) => {
  const broken = await page.$$eval('.rows th, .rows td, .problems time', (cells) => cells.flatMap((cell) => {
    const words = [];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) words.push(word[0]);
      }
    }
    return words;
  }));
  check(broken.length === 0, `${name}: words are broken: ${broken.join(' ')}`);
};
const fits = async (page, name) => {
  const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(wide <= window, `${name}: ${wide} pixels wide in a window of ${window}`);
};

// The longest values that cycles and consumers have: a phone shows each in one line, and all of them.
const long_values = async (page, name) => {
  const broken = await page.evaluate(() => {
    const values = {
      numbers: ['Wed 28 Nov 08:03', 'unfinished', '10h 00m', '1200', '12.4 GB', '24.8 MB/s'],
      consumers: ['warehouse', 'Wed 28 Nov', '12 files, 12.4 GB', 'Wed 28 Nov 08:03'],
    };
    const found = [];
    for (const [table, words] of Object.entries(values)) {
      for (const row of document.querySelectorAll(`.${table} tbody tr`)) {
        [...row.cells].forEach((cell, index) => {
          (cell.querySelector('time') ?? cell).textContent = words[index];
          const range = document.createRange();
          range.selectNodeContents(cell);
          const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
          if (tops.size !== 1 || cell.scrollWidth > cell.clientWidth) found.push(`"${words[index]}" in ${tops.size} lines`);
        });
      }
      if (document.querySelectorAll(`.${table} tbody tr`).length === 0) found.push(`no row of ${table}`);
    }
    return found;
  });
  check(broken.length === 0, `${name}: ${broken.join(', ')}`);
  await fits(page, name);
};
// In one line: their tops are the same.
const tops = (page, selector) => page.$$eval(selector, (all) => [...new Set(all.map((each) =>
  Math.round(each.getBoundingClientRect().top)))]);

const scenarios = {
  // The state of the moment: every size and colour, the paint, keyboard, print, and without a script.
  async look() {
    for (const width of [320, 768, 1440]) {
      for (const dark of [false, true]) {
        const name = `${words[0] ?? 'page'}-${width}${dark ? '-dark' : ''}`;
        const page = await open({width, dark});
        await says(page, '#link', 'live');
        await fits(page, name);
        await accessible(page, name);
        await picture(page, name);
        await page.click('summary');
        await fits(page, `${name} with the table of cycles`);
        await whole_words(page, `${name} with the table of cycles`);
        await long_values(page, `${name} with long values`);
        await page.close();
      }
    }
    const plain = await open({script: false});
    check((await plain.$$('.readout:not([hidden])')).length === 0, 'a hint for the script is shown without one');
    const live = await open();
    // A bar says which cycle it is.
    check((await text(live, '#pointed')).startsWith('Point at a bar'), 'nothing says that bars can be pointed at');
    await live.hover('.plot rect:last-of-type');
    const row = await live.$eval('#cycle-table tbody tr', (each) => [...each.cells].map((cell) => cell.textContent));
    check((await text(live, '#pointed')).startsWith(`${row[0]}: ${row[1]} in ${row[2]}, ${row[3]} file`),
      `the bar of ${row} says ${await text(live, '#pointed')}`);
    check((await live.$$('.plot rect.pointed')).length === (await live.$$('.plot')).length, 'not one bar a plot is marked');
    await live.hover('h1');
    check((await text(live, '#pointed')).startsWith('Point at a bar'), 'a bar is still pointed at');
    check(await text(plain, 'h1') === await text(live, 'h1'), 'another verdict without a script');
    for (const selector of ['#week .card', '.year td[data-day]', '.plot rect', '.figures dt'])
      check((await plain.$$(selector)).length > 0, `no ${selector} without a script`);
    const printed = () => live.$eval('#printed', (each) => getComputedStyle(each).display !== 'none' && each.textContent);
    check(await printed() === false, 'a screen shows when it was printed');
    await live.$eval('#moment', (each) => each.replaceChildren());
    await live.pdf();
    await live.emulateMediaType('print');
    const now = new Date();
    check((await printed()).startsWith('As of ') && (await printed()).includes(`${now.getDate()} `) &&
      (await printed()).includes(` ${now.getFullYear()}, `), `paper says: ${await printed()}`);
    // A sheet of A4 between its margins.
    await live.setViewport({width: 688, height: 1000});
    check((await tops(live, '.card')).length === 1, 'paper breaks the week into several lines');
    check((await tops(live, '.pair > section')).length === 1, 'paper shows cycles and disk one below the other');
    check((await live.$$eval('.readout', (all) => all.filter((each) => each.offsetParent).length)) === 0, 'paper has a hint');
    await fits(live, 'on paper');
    await picture(live, `${words[0] ?? 'page'}-print`);
  },

  // The best of some loads: other tests run beside this one.
  async paint() {
    const times = [];
    // The best of some: other tests share the machine.
    for (let load = 0; load < 20 && !times.some((time) => time < 300); ++load) {
      const page = await open();
      await until(page, () => performance.getEntriesByName('first-contentful-paint').length > 0);
      times.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime));
      await page.close();
    }
    console.log(`first paint after ${times.map(Math.round).join(', ')} ms`);
    check(Math.min(...times) < 300, 'the first paint takes more than 300 ms');
  },

  async keyboard() {
    const page = await open();
    await says(page, '#link', 'live');
    const day = () => page.evaluate(() => document.activeElement.dataset.day ?? '');
    for (let key = 0; key < 20 && !await day(); ++key) await page.keyboard.press('Tab');
    const newest = await day();
    check(newest !== '', 'the keyboard does not reach the year');
    await page.keyboard.press('ArrowUp');
    const before = await day();
    check(Date.parse(newest) - Date.parse(before) === 86400000, `up leads from ${newest} to ${before}`);
    await page.keyboard.press('ArrowLeft');
    check(Date.parse(before) - Date.parse(await day()) === 7 * 86400000, 'left is not a week before');
    const chosen = await day();
    check((await text(page, '#readout')).length > 10, 'nothing is said of the day');
    await page.keyboard.press('Enter');
    await until(page, (wanted) => location.search === `?day=${wanted}`, chosen);
    await says(page, '#said', 'Shown: ');
    await says(page, '#week nav', 'Later week');
    check(await day() === chosen, 'the chosen day has lost the keyboard');
    await page.keyboard.press('End');
    check(await day() === newest, 'End does not lead to the newest day');
    await page.keyboard.press('Home');
    check(await day() < chosen, 'Home does not lead to the oldest day');
    await page.click('#week nav a:last-child');
    await until(page, () => location.search === '');
    check((await page.$$eval('.year td[tabindex="0"]', (all) => all.length)) === 1, 'not one cell takes the keyboard');
    // On a phone the week stands above the year: a tap leads back to it.
    const phone = await open({width: 320, height: 500});
    await says(phone, '#link', 'live');
    await phone.tap(`.year td[data-day="${chosen}"]`);
    await says(phone, '#said', 'Shown: ');
    await until(phone, () => {
      const {top} = document.querySelector('#week').getBoundingClientRect();
      return top > -2 && top < innerHeight / 2;
    });
    check(await phone.$eval('.legend .count', (each) => each.offsetParent === null), 'a phone counts days that it hides');
  },

  // What needs no event of the daemon: a new day, an answer that fails, another tab.
  async patience() {
    const page = await open({calm: true});
    await says(page, '#link', 'live');
    const pages = [];
    let fails = 0;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const is_page = request.resourceType() === 'fetch' && !request.url().includes('/v1/');
      if (is_page) pages.push(request.url());
      if (is_page && fails > 0) {
        fails -= 1;
        request.respond({status: 503, body: 'busy'});
      } else {
        request.continue();
      }
    });
    await page.evaluate(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 86400000;
    });
    const asked = async (count) => {
      for (const end = Date.now() + patience; pages.length < count && Date.now() < end;)
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      check(pages.length >= count, `the page was asked for ${pages.length} times, not ${count}`);
    };
    await asked(1);
    fails = 2;
    await page.click('.year td[data-day]:not(.today)');
    await asked(4);
    await says(page, '#said', 'Shown: ');
    // More tabs than a browser has connections to one host.
    const tabs = [page];
    while (tabs.length < 8) {
      const tab = await open({calm: true});
      await says(tab, '#link', 'live');
      tabs.push(tab);
    }
    await page.bringToFront();
    await says(page, '#link', 'live');
    const before = pages.length;
    await page.click('.year td.today');
    await asked(before + 1);
  },

  // Where the system chooses the colours, marks and shapes still differ.
  async forced() {
    const page = await open();
    const session = await page.createCDPSession();
    await session.send('Emulation.setEmulatedMedia', {features: [{name: 'forced-colors', value: 'active'}]});
    await says(page, '#link', 'live');
    const looks = await page.evaluate(() => {
      const look = (selector, pseudo) => {
        const element = document.querySelector(selector);
        if (!element) return null;
        const style = getComputedStyle(element, pseudo);
        return [style.backgroundColor, style.backgroundImage, style.borderTopStyle, style.boxShadow, style.content].join(' ');
      };
      return {
        load: look('.year td.load.held'), held: look('.key.held:not(.load)'), none: look('.year td.none'),
        mark: getComputedStyle(document.querySelector('h1'), '::before').backgroundColor,
        ground: getComputedStyle(document.body).backgroundColor,
      };
    });
    const cells = [looks.load, looks.held, looks.none].filter((each) => each !== null);
    check(cells.length > 1 && new Set(cells).size === cells.length, `days look alike: ${cells}`);
    check(looks.mark !== looks.ground && looks.mark !== 'rgba(0, 0, 0, 0)', `no mark before the headline: ${looks.mark}`);
    await picture(page, 'forced-colours-1440');
  },

  // A transfer moves without a new page, and ends.
  async transfer() {
    const page = await open();
    // The script says how long it takes as the server does: "3d 07h left".
    const takes_days = async () => {
      const slow = await open();
      const status = await slow.evaluate(() => fetch('/v1/status').then((answer) => answer.json()));
      status.cycle.eta = 285600;
      await slow.setRequestInterception(true);
      slow.on('request', (request) => (!request.url().endsWith('/v1/events') ? request.continue() : request.respond(
        {contentType: 'text/event-stream', body: `event: status\ndata: ${JSON.stringify(status)}\n\n`})));
      await slow.reload();
      await says(slow, '#total-words', '3d 07h left');
      await slow.close();
    };
    await says(page, '#transfers', 'Time left');
    const value = () => page.$eval('#transfers tr[data-name] progress', (bar) => bar.value);
    const first = await value();
    await until(page, (least) => document.querySelector('#transfers tr[data-name] progress')?.value > least, first);
    await says(page, '#transfers [data-cell=rate]', '/s');
    await takes_days();
    await page.bringToFront();
    await says(page, '.year td.downloading i', 'downloading');
    await accessible(page, 'during a transfer');
    await picture(page, 'transfer-1440');
    const phone = await open({width: 320, dark: true});
    await fits(phone, 'a transfer on a phone');
    await whole_words(phone, 'a transfer on a phone');
    // The page may replace the row at any time: it is found and measured in one step.
    const lines = await phone.evaluate(() => {
      const cell = document.querySelector('#transfers [data-cell=size]');
      cell.textContent = '2.10 MB of 24.0 MB';
      return Math.round(cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight));
    });
    check(lines === 1, `a phone says in ${lines} lines how much has come`);
    await picture(phone, 'transfer-320-dark');
    await phone.close();
    await page.bringToFront();
    reached('seen');
    await says(page, 'h1', 'Complete through');
    await until(page, () => document.querySelector('#transfers').children.length === 0);
    check(await page.evaluate(() => performance.getEntriesByType('navigation').length) === 1, 'the page was loaded again');
  },

  // Without a script, during a transfer: what each part says is in the page as it came, and stays there.
  async plain() {
    const [file, problem] = words;
    const page = await open({script: false});
    const holds = async (selector, ...wanted) => {
      const all = (await page.$$eval(selector, (found) => found.map((each) => each.textContent))).join(' | ');
      for (const part of wanted) check(all.includes(part), `${selector} lacks "${part}" without a script: ${all}`);
    };
    await holds('h1', 'Downloading');
    await holds('#link', 'as of ');
    await holds('#head', 'A cycle is running.', 'Last cycle: complete', `To come: ${file}.`);
    await holds('#problems', '1 problem', 'Warning', problem);
    check((await text(page, '#problems .advice')).length > 10, 'no advice without a script');
    await holds('#transfers', 'Transfers', file, ' of ', 'Time left', '1 connection');
    check(await page.$eval('#transfers tr[data-name] progress', (bar) => bar.max > 1), 'a bar has no length');
    await holds('#week .card', 'Today', 'load 1', 'bulk', 'downloading', 'held');
    await holds('.year td[data-day]', 'downloading', 'held');
    await holds('.legend', 'held', 'to load');
    await holds('#cycles', 'The last cycle was complete.', 'How long each took', 'As a table', 'Began');
    await holds('#cycle-table tbody tr', 'complete');
    await holds('#figures', 'free', 'Client secret', 'API key');
    for (const time of await page.$$eval('time', (all) => all.map((each) => each.textContent)))
      check(time.trim() !== '', 'a time is empty without a script');
    check((await page.$$('.readout[hidden]')).length === 2, 'a hint for the script is shown without one');
    await fits(page, 'without a script');
    await picture(page, 'plain-1440');
    await page.click('nav.weeks a');
    await page.waitForSelector('nav.weeks a[href="/"]', {timeout: patience});
    await holds('#week nav', 'Newest');
    check(page.url() !== address + '/', 'the link to another week leads nowhere without a script');
  },

  // A new day or chain comes while the page is open: the words that the week must show then.
  async change() {
    const page = await open();
    await says(page, '#link', 'live');
    reached('open');
    for (const part of words) await says(page, '#week', part);
    await says(page, '#said', 'omplete');
    await picture(page, 'change-1440');
  },

  async restart() {
    const page = await open({calm: true});
    await says(page, '#link', 'live');
    reached('open');
    await says(page, '#link', 'no connection since');
    check((await text(page, 'h1')).includes('Complete'), 'the last state is not shown any more');
    await picture(page, 'disconnected-1440');
    reached('lost');
    await says(page, '#link', 'live');
  },

  // Each state in the year, with its class and its words.
  async states() {
    const page = await open();
    for (const state of words) {
      const found = await page.$$eval(`.year td.${state} i`, (all) => all.map((each) => each.textContent));
      check(found.length > 0 && found.every((each) => each.includes(`: ${state}`)), `no day is ${state}: ${found}`);
      check((await page.$$(`.legend .${state}`)).length > 0, `the legend lacks ${state}`);
    }
    const json = await page.evaluate(() => fetch('/v1/calendar').then((answer) => answer.json()));
    for (const day of json.days) {
      const shown = await page.$eval(`.year td[data-day="${day.date}"]`, (cell) => cell.className.split(' '));
      check(shown.includes(day.state), `${day.date} is ${day.state} in JSON and ${shown} on the page`);
    }
    await accessible(page, 'all states');
    await picture(page, `${words[0]}-1440`);
    const phone = await open({width: 320});
    await fits(phone, 'all states on a phone');
    await picture(phone, `${words[0]}-320`);
    const dark = await open({dark: true});
    await accessible(dark, 'all states in the dark');
    await picture(dark, `${words[0]}-1440-dark`);
  },

  // For README.md: as a reader sees it whose clock is that of the daemon. The foot, which names a directory, is left out.
  async portrait() {
    const [ahead, file] = words;
    const page = await browser.newPage();
    await page.setViewport({width: 1280, height: 1000});
    await page.evaluateOnNewDocument((milliseconds) => {
      const Real = Date;
      window.Date = class extends Real {
        constructor(...given) {
          super(...(given.length > 0 ? given : [Real.now() + milliseconds]));
        }
        static now() {
          return Real.now() + milliseconds;
        }
      };
    }, Number(ahead));
    await page.goto(address, {waitUntil: 'load'});
    await says(page, '#link', 'live');
    await says(page, '#transfers [data-cell=rate]', '/s');
    const height = await page.$eval('main', (main) => Math.ceil(main.getBoundingClientRect().bottom + 20));
    await page.screenshot({path: file, clip: {x: 0, y: 0, width: 1280, height}});
  },

  // What the service sends is text.
  async hostile() {
    const page = await open();
    await says(page, '#link', 'live');
    await says(page, 'body', words[0]);
    check((await page.$$('main script, main img, main iframe')).length === 0, 'a name became markup');
    check((await page.$$('script')).length === 1, 'there is a script of somebody else');
    const calm = await open({calm: true});
    const inside = await calm.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.broken = true';
      document.body.append(script);
      return window.broken === true;
    }).catch(() => false);
    check(!inside, 'the page runs scripts that are written into it');
  },
};

try {
  fs.mkdirSync(pictures, {recursive: true});
  if (!(scenario in scenarios)) throw new Error(`no scenario ${scenario}`);
  await scenarios[scenario]();
} catch (error) {
  fault(error.stack ?? String(error));
}
await browser.close();
process.exit(faults === 0 ? 0 : 1);
