/** Invisible characters that affect the text around them: control characters, and formats such as direction overrides. */
const hiddenInLine = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const hidden = /(?!\r?\n|\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Replaces such characters, except line breaks and tabs, by their JSON escapes (`\u202e`), so that foreign text can neither control a terminal nor mislead; in a single line line breaks, too. */
export function showHidden(text: string, { isLine = false } = {}): string {
  return text.replaceAll(isLine ? hiddenInLine : hidden, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
