// A style as text, for a report that brings its own.
declare module '*.css' {
  const text: string;
  export default text;
}
