/** Placeholders for the values of these fields. */
const placeholders: Record<string, string> = { secret: '$SECRET', token: '$TOKEN' }

/** Replaces the secrets and tokens in a JSON text; undefined for other text, where they cannot be found. */
export function hideCredentials(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      typeof value === 'string' && Object.hasOwn(placeholders, name) ? placeholders[name] : value,
    )
  } catch {
    return undefined
  }
}
