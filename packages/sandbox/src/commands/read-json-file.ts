import { readFile } from 'node:fs/promises'
import { CommandFailed } from './reach-sandbox.ts'

/** Throws `CommandFailed` if the file cannot be read. */
export async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'does not exist' : 'cannot be read'
    throw new CommandFailed(`${file} ${reason}.`)
  })
}

/** Throws `CommandFailed` with the position of a syntax error. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandFailed(`${file} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}.`)
  }
}
