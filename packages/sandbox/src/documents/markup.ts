/** HTML that is safe to send: all its values are escaped. */
export interface Markup {
  readonly html: string
}

type Part = Markup | string | number | undefined | readonly Part[]

/** Escapes every value of a template, except markup. Put values only into text or quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return { html: String.raw({ raw: strings.map((text) => text) }, ...parts.map(render)) }
}

function render(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return escape(String(part))
  return 'html' in part ? part.html : part.map(render).join('')
}

/** Renders parts between backticks as code. */
export function prose(text: string): Markup {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
