/** What is worth keeping by a text that determines it: the newest, until the texts are too long together. */
export class Remembered<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();
  #characters = 0;

  constructor(mostCharacters: number) {
    this.#most = mostCharacters;
  }

  get(text: string): T | undefined {
    return this.#values.get(text);
  }

  set(text: string, value: T): void {
    if (text.length > this.#most || this.#values.has(text)) return;
    this.#values.set(text, value);
    this.#characters += text.length;
    for (const oldest of this.#values.keys()) {
      if (this.#characters <= this.#most) return;
      this.delete(oldest);
    }
  }

  delete(text: string): void {
    if (this.#values.delete(text)) this.#characters -= text.length;
  }

  clear(): void {
    this.#values.clear();
    this.#characters = 0;
  }
}
