import { readFile } from 'node:fs/promises'
import { CommandFailed } from './reach-sandbox.ts'

/** The text of a file; throws `CommandFailed` where it cannot be read. */
export async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'does not exist' : 'cannot be read'
    throw new CommandFailed(`${file} ${reason}.`)
  })
}

/** The JSON of a file; throws `CommandFailed` that says where it is none. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CommandFailed(`${file} is no JSON: ${error instanceof Error ? error.message : 'unreadable'}.`)
  }
}
