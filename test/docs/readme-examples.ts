import { readFile } from 'node:fs/promises'

/** The README's examples, by the path that the first line of each names. */
export async function readReadmeExamples(): Promise<Map<string, string>> {
  const text = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const code = [...text.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)]
  const settings = [...text.matchAll(/```sh\n# (\S+\.env\.example)\n([\s\S]*?)```/g)]
  return new Map([...code, ...settings].map(([, path = '', content = '']) => [path, content]))
}
