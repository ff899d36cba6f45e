// What the server tells a page's script, in a block of the page.

/** @type {{lang: string, words: Record<string, string | Record<string, string>>, [more: string]: any}} */
export const data = JSON.parse(document.getElementById('data')?.textContent ?? '{}');
