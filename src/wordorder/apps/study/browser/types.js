// The shapes of what passes between the parts of the page, and between the page and the server; there is no code here.

/**
 * @typedef {{ lang: string, dir: string }} Language
 * @typedef {{ name: string, text: string, values: number[], ends: [string, string] | null }} Question
 * @typedef {{ name: string, numbers: [number, number] | null, choices: string[] }} Field
 */

/**
 * The progress of a person. `end` is how their part has ended, `link` leads back to the recruiting service, and `left`
 * is the time in milliseconds that they still have.
 * @typedef {{
 *   consented: boolean, details: boolean, total: number, done: number, next: number | null,
 *   end: string | null, link: string, code: string, left: number | null,
 * }} Progress
 */

/**
 * An item of a person. `versions` counts the answers so far, and `fixed` means that there will be no other.
 * @typedef {{
 *   place: number, practice: boolean, view: any, answer: any, draft: any, versions: number, fixed: boolean, key?: string,
 * }} Item
 */

/**
 * The study as the server describes it; `links` are there in a preview only.
 * @typedef {{
 *   person: string, role: string, kind: string, title: string, text: Language, source: Language, questions: Question[],
 *   pages: Record<string, string>, fields: Field[], back: boolean, consent: string, progress: Progress,
 *   item?: Item | null, instructed?: boolean, id?: string, links?: Record<string, string>, code?: string,
 * }} Study
 */

/**
 * What somebody has answered so far: a whole `answer`; or what is `missing`, and how to go there; or `step`, if a step
 * of several is done.
 * @typedef {{ answer: any } | { missing: string, focus: () => void } | { step: boolean }} Reading
 */

/**
 * The part of the page that belongs to a kind of study. `label` writes a right answer, `key` says whether it has used
 * a key, and with `modified` it gets keys pressed together with Ctrl, too.
 * @typedef {{
 *   node: HTMLElement, hint?: string, modified?: boolean, read: () => Reading, draft: () => object,
 *   label?: (right: any) => string, key?: (event: KeyboardEvent) => boolean, shown?: () => void, left?: () => void,
 * }} Part
 */

/**
 * What the page offers to a kind of study.
 * @typedef {{
 *   study: Study, answer: any, fixed: boolean, text: Function, sourceText: Function, given: (view: any) => HTMLElement,
 *   toNext: () => void, changed: () => void, check: (answer: object) => Promise<any>,
 * }} Tools
 */

export {};
