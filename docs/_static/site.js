// Names and focus that the theme leaves out: what opens a part of the contents, and boxes that scroll, for those who use the keyboard.
addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll("summary")) if (!each.textContent.trim()) each.setAttribute("aria-label", "Pages below this one");
  for (const each of document.querySelectorAll(".formula, .bd-article table, .bd-article pre")) if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
});
