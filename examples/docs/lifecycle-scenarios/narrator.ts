// The narrator: says on standard error what happens, indented, and dim where that is a terminal.
import { styleText } from 'node:util'

export function tell(sentence: string): void {
  console.error(styleText('dim', `  ${sentence}`, { stream: process.stderr }))
}
