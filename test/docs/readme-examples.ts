import { readFile } from 'node:fs/promises'

/** The text of a document, by its path from the root. */
export async function readPage(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
}

/** A document's examples, by the path that the first line of each names. */
export async function readExamples(path: string): Promise<Map<string, string>> {
  const text = await readPage(path)
  const code = [...text.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)]
  const settings = [...text.matchAll(/```sh\n# (\S+\.env\.example)\n([\s\S]*?)```/g)]
  return new Map([...code, ...settings].map(([, path = '', content = '']) => [path, content]))
}

/** Those of the pages that show one fork together. */
export async function readReadmeExamples(): Promise<Map<string, string>> {
  const pages = ['README.md', 'docs/handlers.md', 'docs/client.md', 'docs/deploying.md']
  const examples = await Promise.all(pages.map(readExamples))
  return new Map(examples.flatMap((each) => [...each]))
}
