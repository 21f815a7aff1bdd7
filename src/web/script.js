"use strict";
// The server writes the page; this keeps it right. Numbers of a transfer come with each event; everything else is
// fetched again when the status shows that it has changed. Texts are set as text, never as markup.
(() => {
  const byId = (id) => document.getElementById(id);
  const version = document.querySelector("meta[name=version]").content;
  const link = byId("link");
  let shape = null; // of the last status, without its moving numbers
  let lost = null; // since when there is no connection
  let events = null; // while they are followed
  let asked = null; // the address of the week that a reader has asked for
  let slot = null; // of the clock, in which the page was written last
  let fetching = false;
  let wanted = false;
  let chosen = null; // the day whose cell takes the keyboard

  // --- words -----------------------------------------------------------------------------------------------------

  const size = (bytes) => {
    if (bytes < 1000) return `${bytes} B`;
    const units = ["KB", "MB", "GB", "TB", "PB"];
    let value = bytes / 1000;
    let unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1000;
      unit += 1;
    }
    return `${value.toPrecision(3).includes("e") ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
  };
  const pad = (number) => String(number).padStart(2, "0");
  const duration = (seconds) => {
    if (seconds < 60) return `${seconds}s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
    if (seconds < 86400) return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`;
    return `${Math.floor(seconds / 86400)}d ${pad(Math.floor((seconds % 86400) / 3600))}h`;
  };
  const length = (seconds) => {
    if (seconds < 60) return `${Math.floor(seconds)}s`;
    if (Math.round(seconds / 60) < 60) return `${Math.round(seconds / 60)}m`;
    if (Math.round(seconds / 3600) < 48) return `${Math.round(seconds / 3600)}h`;
    return `${Math.round(seconds / 86400)} days`;
  };
  const dayNumber = (date) => Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86400000);
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  const dayWords = (date) => `${weekdays[date.getDay()]} ${date.getDate()} ${months[date.getMonth()]}`;
  const minute = (date) => `${pad(date.getHours())}:${pad(date.getMinutes())}`;
  const at = (date) => {
    const days = dayNumber(date) - dayNumber(new Date());
    const names = { "-1": "yesterday", 0: "today", 1: "tomorrow" };
    let day = names[days] || dayWords(date);
    if (Math.abs(days) > 300) day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
    return `${day} ${minute(date)}`;
  };
  const away = (date) => {
    const seconds = Math.floor(date / 1000) - Math.floor(Date.now() / 1000);
    if (seconds === 0) return "now";
    return seconds > 0 ? `in ${length(seconds)}` : `${length(-seconds)} ago`;
  };
  const put = (element, text) => {
    if (element && element.textContent !== text) element.textContent = text;
  };
  const tick = () => {
    for (const time of document.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      put(time, time.dataset.form === "away" ? away(date) : at(date));
    }
    // A new day changes the page without an event, and the daemon's midnight may be another one than the reader's. A
    // hidden page is not live, and shows its sentence in the tab.
    const now = Math.floor(Date.now() / (document.hidden ? 60000 : 900000));
    if (slot !== null && slot !== now) refresh();
    slot = now;
  };

  // --- the connection --------------------------------------------------------------------------------------------

  const say = (text) => put(byId("said"), text);
  const connected = (words) => {
    link.className = "";
    put(link, words);
    lost = null;
    document.body.classList.remove("lost");
    refresh(); // what has changed since the page was written
  };
  const disconnected = () => {
    if (lost) return;
    lost = new Date();
    link.className = "lost";
    document.body.classList.add("lost"); // what stands below is of before
    document.title = `No connection - ${document.title}`;
    put(link, `no connection since ${minute(lost)}; trying again`);
  };

  // --- the parts that the server writes --------------------------------------------------------------------------

  const replace = (part, fresh) => {
    const focus = part.contains(document.activeElement) ? document.activeElement : null;
    const day = focus && focus.dataset.day;
    const href = focus && focus.getAttribute("href");
    const open = [...part.querySelectorAll("details[open]")].map((each) => each.id);
    part.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
    for (const id of open) if (byId(id)) byId(id).open = true;
    const again = [...part.querySelectorAll("[data-day], a")].find((each) =>
      day ? each.dataset.day === day : href && each.getAttribute("href") === href);
    prepare();
    if (part === cycles) point(null);
    if (again) again.focus();
  };
  const known = new Map();
  const take = (html) => {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    const before = document.querySelector("h1").textContent;
    for (const part of document.querySelectorAll("[data-part]")) {
      const next = fresh.getElementById(part.id);
      if (!next || known.get(part.id) === next.innerHTML) continue;
      known.set(part.id, next.innerHTML);
      replace(part, next);
    }
    document.title = fresh.title;
    tick();
    const now = document.querySelector("h1").textContent;
    if (now !== before) say(now);
  };
  const ask = async (path) => {
    const answer = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout?.(20000) });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return answer;
  };
  const refresh = async () => {
    wanted = true;
    if (fetching) return;
    fetching = true;
    while (wanted) {
      wanted = false;
      const path = location.pathname + location.search;
      let pause = 1000;
      try {
        take(await (await ask(path)).text());
        if (path === asked) shown();
      } catch {
        wanted = !lost; // a connection that comes back asks for it too
        pause = 3000;
      }
      await new Promise((done) => setTimeout(done, pause));
    }
    fetching = false;
  };

  // --- a transfer's numbers --------------------------------------------------------------------------------------

  const left = (file) => {
    if (file.received >= file.size) return "checking";
    if (file.rate <= 0) return file.connections === 0 ? "waiting" : "";
    return `${duration(Math.floor((file.size - file.received) / file.rate))} left`;
  };
  const bar = (element, received, whole) => {
    if (!element) return;
    element.max = Math.max(whole, 1);
    element.value = received;
  };
  const showRow = (row, file) => {
    const cell = (name) => row.querySelector(`[data-cell=${name}]`);
    bar(row.querySelector("progress"), file.received, file.size);
    put(cell("size"), `${size(file.received)} of ${size(file.size)}`);
    put(cell("rate"), file.rate > 0 ? `${size(file.rate)}/s` : "");
    put(cell("left"), left(file));
    put(cell("more"), `${file.connections} ${file.connections === 1 ? "connection" : "connections"}` +
      (file.attempt > 1 ? `, attempt ${file.attempt}` : ""));
  };
  const showTransfers = (cycle) => {
    if (!cycle || !byId("total-words")) return;
    let words = "Requesting the listing";
    if (cycle.files > 0) {
      words = `${cycle.done} of ${cycle.files} ${cycle.files === 1 ? "file" : "files"}, ` +
        `${size(cycle.received)} of ${size(cycle.bytes)}`;
      if (cycle.rate > 0) words += `, ${size(cycle.rate)}/s`;
      if (cycle.eta !== null) words += `, ${duration(cycle.eta)} left`;
    }
    put(byId("total-words"), words);
    bar(document.querySelector("#total progress"), cycle.received, cycle.bytes);
    for (const row of document.querySelectorAll("#transfers tr[data-name]")) {
      const file = cycle.downloads.find((each) => each.name === row.dataset.name);
      if (file) showRow(row, file);
    }
  };
  const shapeOf = (status) => {
    const { cycle, mirror, ...rest } = status;
    const { free, forecast, ...held } = mirror;
    return JSON.stringify([rest, held, cycle && [cycle.started, cycle.files, cycle.downloads.map((file) => file.name)]]);
  };
  const showStatus = (status) => {
    if (status.version !== version) {
      location.reload();
      return;
    }
    showTransfers(status.cycle);
    const next = shapeOf(status);
    if (shape !== null && next !== shape) refresh();
    shape = next;
  };
  // Where all places of followers are taken, the status is asked for now and then.
  const poll = async () => {
    try {
      const answer = await ask("/v1/status");
      connected("live, every 10 s");
      showStatus(await answer.json());
    } catch {
      disconnected();
    }
    setTimeout(follow, lost ? 3000 : 10000);
  };
  // A browser has six connections to one daemon: a page that nobody sees takes none of them.
  const follow = () => {
    if (events || document.hidden) return;
    const source = new EventSource("/v1/events");
    events = source;
    source.addEventListener("open", () => connected("live"));
    source.addEventListener("status", (event) => showStatus(JSON.parse(event.data)));
    source.addEventListener("cycle", refresh);
    source.addEventListener("error", () => {
      if (events !== source) return;
      if (source.readyState !== EventSource.CLOSED) {
        disconnected();
        return;
      }
      events = null;
      poll();
    });
  };
  const seen = () => {
    if (!document.hidden) {
      follow();
      return;
    }
    if (events) events.close();
    events = null;
  };

  // --- the days by mouse and keyboard ----------------------------------------------------------------------------

  const hint = "Click a day, or press Enter, to show its week.";
  const cells = () => [...document.querySelectorAll(".year td[data-day]")].filter((cell) => cell.offsetParent);
  const cellOf = (day) => cells().find((cell) => cell.dataset.day === day);
  const readout = (cell) => {
    byId("readout").hidden = false;
    put(byId("readout"), cell ? cell.textContent : hint);
  };
  const prepare = () => {
    const all = cells();
    if (all.length === 0) return;
    document.querySelector(".year").setAttribute("role", "grid");
    const newest = all.reduce((best, cell) => (cell.dataset.day > best.dataset.day ? cell : best));
    const current = (chosen && cellOf(chosen)) || newest;
    for (const cell of all) cell.tabIndex = cell === current ? 0 : -1;
    if (byId("readout").hidden) readout(null);
  };
  const show = (path) => {
    history.replaceState(null, "", path);
    asked = location.pathname + location.search;
    refresh();
  };
  const shown = () => {
    asked = null;
    const week = byId("week");
    const days = [...week.querySelectorAll("h3")].map((each) => each.textContent);
    if (days.length > 0) say(`Shown: ${days[0]} to ${days[days.length - 1]}`);
    const box = week.getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) week.scrollIntoView();
  };
  const shifted = (day, count) => new Date(Date.parse(`${day}T00:00:00Z`) + count * 86400000).toISOString().slice(0, 10);
  const steps = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 };

  const year = byId("year");
  year.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td[data-day]");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const days = cells().map((each) => each.dataset.day).sort();
    let day = null;
    if (event.key in steps) day = shifted(cell.dataset.day, steps[event.key]);
    if (event.key === "Home") day = days[0];
    if (event.key === "End") day = days[days.length - 1];
    if (event.key === "Enter" || event.key === " ") show(`/?day=${cell.dataset.day}`);
    if (day === null && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    const next = day && cellOf(day);
    if (!next) return;
    chosen = day;
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  year.addEventListener("focusin", (event) => readout(event.target.closest("td[data-day]")));
  year.addEventListener("mouseover", (event) => readout(event.target.closest("td[data-day]")));
  year.addEventListener("mouseleave", () => readout(null));
  year.addEventListener("click", (event) => {
    const cell = event.target.closest("td[data-day]");
    if (cell) show(`/?day=${cell.dataset.day}`);
  });
  byId("week").addEventListener("click", (event) => {
    const to = event.target.closest("a");
    if (!to || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(to.getAttribute("href"));
  });

  // --- the cycles by mouse and finger; a keyboard and a screen reader have the table ------------------------------

  const cycles = byId("cycles");
  const rowWords = (row) => {
    const [began, outcome, took, files, bytes, rate] = [...row.cells].map((cell) => cell.textContent);
    return `${began}: ${outcome}${took && ` in ${took}`}, ${files} ${files === "1" ? "file" : "files"}, ${bytes}` +
      (rate && `, ${rate}`);
  };
  const point = (place) => {
    const said = byId("pointed"); // where cycles are drawn
    if (!said) return;
    let row = null;
    for (const plot of cycles.querySelectorAll(".plot")) {
      const bars = [...plot.querySelectorAll("rect")]; // the oldest first, and the rows the other way round
      const found = place === null ? -1 : bars.filter((bar) => bar.x.baseVal.value <= place).length - 1;
      bars.forEach((bar, index) => bar.classList.toggle("pointed", index === found));
      if (found >= 0) row = cycles.querySelectorAll("tbody tr")[bars.length - 1 - found];
    }
    said.hidden = false;
    put(said, row ? rowWords(row) : "Point at a bar, or tap it, to see its cycle.");
  };
  const pointedAt = (event) => {
    const plot = event.target.closest(".plot");
    point(plot && event.clientX - plot.getBoundingClientRect().left);
  };
  cycles.addEventListener("pointermove", pointedAt);
  cycles.addEventListener("pointerdown", pointedAt);
  cycles.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && point(null));

  for (const part of document.querySelectorAll("[data-part]")) known.set(part.id, part.innerHTML);
  prepare();
  point(null);
  tick();
  setInterval(tick, 10000);
  window.addEventListener("resize", prepare);
  // What a sheet of paper shows is of when it was printed, or of when the connection was lost.
  window.addEventListener("beforeprint", () => {
    const date = lost || new Date();
    put(byId("moment"), `${dayWords(date)} ${date.getFullYear()}, ${minute(date)}`);
  });
  document.addEventListener("visibilitychange", seen);
  follow();
})();
