// Long tables: sorted by every column, and searched by the names of their rows.
for (const table of document.querySelectorAll(".searched")) {
  const [body] = table.tBodies, rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const noun = heads[0].textContent, nouns = noun + (noun.endsWith("s") ? "es" : "s");
  const inWords = new Intl.Collator("en", {numeric: true}).compare;

  heads.forEach((head, place) => {
    const words = head.className === "left", button = document.createElement("button");
    button.append(...head.childNodes);
    button.onclick = () => {
      const ways = {ascending: ["descending", -1], descending: [null, 0]};
      const [way, sign] = ways[head.ariaSort] ?? ["ascending", 1];
      for (const other of heads) other.ariaSort = other === head ? way : null;
      const value = text => {
        const number = parseFloat(text.replaceAll(",", ""));
        // What has no number is last either way.
        return words ? text : isNaN(number) ? sign * Infinity : number;
      };
      const found = rows.map(row => [value(row.cells[place].textContent), row]);
      if (sign) found.sort(([one], [other]) => sign * (words ? inWords(one, other) : one - other));
      body.append(...found.map(([, row]) => row));
      // It tells the order as it came.
      if (table.caption) table.caption.style.visibility = sign ? "hidden" : "";
    };
    head.append(button);
  });

  const [line, label, field, said] = ["p", "label", "input", "output"].map(tag => document.createElement(tag));
  field.type = line.className = "search";
  field.oninput = () => {
    const wanted = field.value.toLowerCase();
    for (const row of rows) row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
    const left = rows.filter(row => !row.hidden);
    const counts = (wanted ? [left, rows] : [rows]).map(some => some.length.toLocaleString("en"));
    said.value = `${counts.join(" of ")} ${nouns}`;
  };
  field.onkeydown = ({key}) => {
    if (key === "Escape") field.oninput(field.value = "");
  };
  field.oninput();
  label.append(`Find a ${noun} `, field);
  line.append(label, said);
  table.closest(".sheet").before(line);
}
