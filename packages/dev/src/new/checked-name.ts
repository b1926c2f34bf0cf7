import { NewRefused } from './source.ts'

/** The name is used for the file, for the handler or system, and as an identifier. */
export function checkedName(name: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*$/.test(name) || name.length > 32)
    throw new NewRefused(
      `${name} is not a valid name: use up to 32 lowercase letters, digits and single hyphens, starting with a letter.`,
    )
  return name
}
