// The preview of a study: the researcher goes to any page, and nothing is stored. Its own words are in English.

import { element } from "./elements.js";

const ENDS = { finished: "Last page", failed: "Last page, checks failed", screened_out: "Screened out", full: "Study full", late: "Time is over" };

/**
 * Make the bar with the list of all pages.
 * @param {any} study
 * @param {{ showConsent: () => void, showDetails: () => void, showInstructions: () => void, showItem: (place: number) => void, showEnd: () => void }} pages
 */
export function previewBar(study, pages) {
  /** @type {[string, () => void][]} */
  const items = Array.from({ length: study.progress.total }, (_, place) => [`Item ${place + 1}`, () => pages.showItem(place)]);
  /** @type {[string, () => void][]} */
  const ends = Object.entries(ENDS).map(([end, name]) => [name, () => {
    study.progress = { ...study.progress, end, link: study.links[end], code: study.code };
    pages.showEnd();
  }]);
  /** @type {[string, () => void][]} */
  const all = [
    ["First page", pages.showConsent], ["About you", pages.showDetails], ["Instructions", pages.showInstructions], ...items, ...ends,
  ];
  const list = element("select", { id: "preview-page", onchange: () => all[Number(list.value)][1]() },
    all.map(([name], place) => element("option", { value: String(place) }, name)));
  return element("div", { class: "preview", lang: "en", dir: "ltr" }, element("strong", {}, "Preview: nothing is stored"),
    element("label", { for: "preview-page" }, "Page"), list);
}
