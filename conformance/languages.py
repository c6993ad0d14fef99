"""Replies in eighteen languages.

`{n}` is the answer, `{w}` another number, `{s}` a step on the way.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """Templates of one language."""

    answer: str  # states {n}
    equation: str  # {a} × {b} = {n} with words around
    label: str  # a labelled last line
    worked: str  # works over {s} to {n}
    correction: str  # says {w} first and {n} at last
    boxed: str  # {n} in a box of LaTeX
    negation: str  # only says that {w} is wrong
    refusal: str  # does not answer {a} × {b}
    two: str  # {n} or {w}


LANGUAGES = {
    "en": Language(
        "The answer is {n}.",
        "If we multiply, we get {a} × {b} = {n}.",
        "We multiply {a} by {b}.\n\n**Answer: {n}**",
        "First I compute {a} × 2 = {s}. After the other steps, the product of {a} and "
        "{b} comes to {n}.",
        "The result is {w}. Wait, I made a mistake. The correct result is {n}.",
        "Therefore, the product is \\boxed{{{n}}}.",
        "The answer is not {w}.",
        "I'm sorry, but I cannot compute {a} × {b} without a calculator.",
        "The answer is either {n} or {w}.",
    ),
    "de": Language(
        "Die Antwort lautet {n}.",
        "Wir multiplizieren und erhalten {a} × {b} = {n}.",
        "Wir multiplizieren {a} mit {b}.\n\n**Antwort: {n}**",
        "Zuerst rechne ich {a} × 2 = {s}. Nach den übrigen Schritten ergibt das "
        "Produkt von {a} und {b} genau {n}.",
        "Das Ergebnis ist {w}. Moment, das stimmt nicht. Das richtige Ergebnis ist "
        "{n}.",
        "Das Produkt ist also \\boxed{{{n}}}.",
        "Die Antwort ist nicht {w}.",
        "Leider kann ich {a} × {b} ohne Taschenrechner nicht berechnen.",
        "Die Antwort ist entweder {n} oder {w}.",
    ),
    "fr": Language(
        "La réponse est {n}.",
        "En multipliant, on obtient {a} × {b} = {n}.",
        "On multiplie {a} par {b}.\n\n**Réponse : {n}**",
        "D'abord, je calcule {a} × 2 = {s}. Après les autres étapes, le produit de "
        "{a} et {b} vaut {n}.",
        "Le résultat est {w}. Attendez, je me suis trompé. Le résultat correct est "
        "{n}.",
        "Le produit est donc \\boxed{{{n}}}.",
        "La réponse n'est pas {w}.",
        "Désolé, je ne peux pas calculer {a} × {b} sans calculatrice.",
        "La réponse est soit {n}, soit {w}.",
    ),
    "es": Language(
        "La respuesta es {n}.",
        "Al multiplicar obtenemos {a} × {b} = {n}.",
        "Multiplicamos {a} por {b}.\n\n**Respuesta: {n}**",
        "Primero calculo {a} × 2 = {s}. Tras los demás pasos, el producto de {a} y "
        "{b} es {n}.",
        "El resultado es {w}. Espera, me equivoqué. El resultado correcto es {n}.",
        "Por lo tanto, el producto es \\boxed{{{n}}}.",
        "La respuesta no es {w}.",
        "Lo siento, no puedo calcular {a} × {b} sin calculadora.",
        "La respuesta es {n} o {w}.",
    ),
    "it": Language(
        "La risposta è {n}.",
        "Moltiplicando otteniamo {a} × {b} = {n}.",
        "Moltiplichiamo {a} per {b}.\n\n**Risposta: {n}**",
        "Prima calcolo {a} × 2 = {s}. Dopo gli altri passaggi, il prodotto di {a} e "
        "{b} è {n}.",
        "Il risultato è {w}. Aspetta, ho sbagliato. Il risultato corretto è {n}.",
        "Quindi il prodotto è \\boxed{{{n}}}.",
        "La risposta non è {w}.",
        "Mi dispiace, non posso calcolare {a} × {b} senza calcolatrice.",
        "La risposta è {n} oppure {w}.",
    ),
    "pt": Language(
        "A resposta é {n}.",
        "Multiplicando, obtemos {a} × {b} = {n}.",
        "Multiplicamos {a} por {b}.\n\n**Resposta: {n}**",
        "Primeiro calculo {a} × 2 = {s}. Depois dos outros passos, o produto de {a} e "
        "{b} é {n}.",
        "O resultado é {w}. Espere, cometi um erro. O resultado correto é {n}.",
        "Portanto, o produto é \\boxed{{{n}}}.",
        "A resposta não é {w}.",
        "Desculpe, não consigo calcular {a} × {b} sem calculadora.",
        "A resposta é {n} ou {w}.",
    ),
    "nl": Language(
        "Het antwoord is {n}.",
        "Als we vermenigvuldigen, krijgen we {a} × {b} = {n}.",
        "We vermenigvuldigen {a} met {b}.\n\n**Antwoord: {n}**",
        "Eerst bereken ik {a} × 2 = {s}. Na de overige stappen is het product van {a} "
        "en {b} gelijk aan {n}.",
        "De uitkomst is {w}. Wacht, ik heb een fout gemaakt. De juiste uitkomst is "
        "{n}.",
        "Het product is dus \\boxed{{{n}}}.",
        "Het antwoord is niet {w}.",
        "Sorry, ik kan {a} × {b} niet berekenen zonder rekenmachine.",
        "Het antwoord is {n} of {w}.",
    ),
    "pl": Language(
        "Odpowiedź to {n}.",
        "Po pomnożeniu otrzymujemy {a} × {b} = {n}.",
        "Mnożymy {a} przez {b}.\n\n**Odpowiedź: {n}**",
        "Najpierw obliczam {a} × 2 = {s}. Po pozostałych krokach iloczyn liczb {a} i "
        "{b} wynosi {n}.",
        "Wynik to {w}. Chwileczkę, pomyliłem się. Poprawny wynik to {n}.",
        "Zatem iloczyn wynosi \\boxed{{{n}}}.",
        "Odpowiedź to nie {w}.",
        "Przepraszam, nie mogę obliczyć {a} × {b} bez kalkulatora.",
        "Odpowiedź to {n} albo {w}.",
    ),
    "ru": Language(
        "Ответ: {n}.",
        "Умножив, получаем {a} × {b} = {n}.",
        "Умножаем {a} на {b}.\n\n**Ответ: {n}**",
        "Сначала вычислю {a} × 2 = {s}. После остальных шагов произведение {a} и {b} "
        "равно {n}.",
        "Результат равен {w}. Подождите, я ошибся. Правильный результат равен {n}.",
        "Следовательно, произведение равно \\boxed{{{n}}}.",
        "Ответ не {w}.",
        "Извините, я не могу вычислить {a} × {b} без калькулятора.",
        "Ответ: {n} или {w}.",
    ),
    "tr": Language(
        "Cevap {n}.",
        "Çarparsak {a} × {b} = {n} elde ederiz.",
        "{a} ile {b} sayısını çarpıyoruz.\n\n**Cevap: {n}**",
        "Önce {a} × 2 = {s} hesaplıyorum. Diğer adımlardan sonra {a} ile {b} "
        "sayısının çarpımı {n} olur.",
        "Sonuç {w}. Bir dakika, hata yaptım. Doğru sonuç {n}.",
        "Dolayısıyla çarpım \\boxed{{{n}}} olur.",
        "Cevap {w} değil.",
        "Üzgünüm, hesap makinesi olmadan {a} × {b} işlemini hesaplayamam.",
        "Cevap {n} veya {w}.",
    ),
    "vi": Language(
        "Đáp án là {n}.",
        "Nhân lại ta được {a} × {b} = {n}.",
        "Ta nhân {a} với {b}.\n\n**Đáp án: {n}**",
        "Trước hết tôi tính {a} × 2 = {s}. Sau các bước còn lại, tích của {a} và {b} "
        "là {n}.",
        "Kết quả là {w}. Khoan, tôi đã nhầm. Kết quả đúng là {n}.",
        "Vậy tích là \\boxed{{{n}}}.",
        "Đáp án không phải là {w}.",
        "Xin lỗi, tôi không thể tính {a} × {b} nếu không có máy tính.",
        "Đáp án là {n} hoặc {w}.",
    ),
    "id": Language(
        "Jawabannya adalah {n}.",
        "Jika dikalikan, kita peroleh {a} × {b} = {n}.",
        "Kita kalikan {a} dengan {b}.\n\n**Jawaban: {n}**",
        "Pertama saya hitung {a} × 2 = {s}. Setelah langkah lainnya, hasil kali {a} "
        "dan {b} adalah {n}.",
        "Hasilnya {w}. Tunggu, saya salah. Hasil yang benar adalah {n}.",
        "Jadi hasil kalinya adalah \\boxed{{{n}}}.",
        "Jawabannya bukan {w}.",
        "Maaf, saya tidak dapat menghitung {a} × {b} tanpa kalkulator.",
        "Jawabannya {n} atau {w}.",
    ),
    "zh": Language(
        "答案是{n}。",
        "相乘得到 {a} × {b} = {n}。",
        "把 {a} 乘以 {b}。\n\n**答案：{n}**",
        "首先计算 {a} × 2 = {s}。经过其余步骤，{a} 与 {b} 的乘积是 {n}。",
        "结果是 {w}。等等，我算错了。正确的结果是 {n}。",
        "因此乘积为 \\boxed{{{n}}}。",
        "答案不是 {w}。",
        "抱歉，没有计算器我无法计算 {a} × {b}。",
        "答案是 {n} 或者 {w}。",
    ),
    "ja": Language(
        "答えは{n}です。",
        "掛け算すると {a} × {b} = {n} になります。",
        "{a} に {b} を掛けます。\n\n**答え：{n}**",
        "まず {a} × 2 = {s} を計算します。残りの手順を経て、{a} と {b} の積は {n} になります。",
        "結果は {w} です。いや、間違えました。正しい結果は {n} です。",
        "したがって積は \\boxed{{{n}}} です。",
        "答えは {w} ではありません。",
        "申し訳ありませんが、電卓なしでは {a} × {b} を計算できません。",
        "答えは {n} または {w} です。",
    ),
    "ko": Language(
        "정답은 {n}입니다.",
        "곱하면 {a} × {b} = {n}입니다.",
        "{a}에 {b}를 곱합니다.\n\n**정답: {n}**",
        "먼저 {a} × 2 = {s}를 계산합니다. 나머지 단계를 거치면 {a}와 {b}의 곱은 {n}입니다.",
        "결과는 {w}입니다. 잠깐, 실수했습니다. 올바른 결과는 {n}입니다.",
        "따라서 곱은 \\boxed{{{n}}}입니다.",
        "정답은 {w}이 아닙니다.",
        "죄송하지만 계산기 없이는 {a} × {b}를 계산할 수 없습니다.",
        "정답은 {n} 또는 {w}입니다.",
    ),
    "hi": Language(
        "उत्तर {n} है।",
        "गुणा करने पर {a} × {b} = {n} मिलता है।",
        "हम {a} को {b} से गुणा करते हैं।\n\n**उत्तर: {n}**",
        "पहले {a} × 2 = {s} की गणना करते हैं। बाकी चरणों के बाद {a} और {b} का गुणनफल {n} है।",
        "परिणाम {w} है। रुकिए, मुझसे गलती हुई। सही परिणाम {n} है।",
        "अतः गुणनफल \\boxed{{{n}}} है।",
        "उत्तर {w} नहीं है।",
        "क्षमा करें, मैं कैलकुलेटर के बिना {a} × {b} की गणना नहीं कर सकता।",
        "उत्तर {n} या {w} है।",
    ),
    "ar": Language(
        "الإجابة هي {n}.",
        "بالضرب نحصل على {a} × {b} = {n}.",
        "نضرب {a} في {b}.\n\n**الإجابة: {n}**",
        "أولاً أحسب {a} × 2 = {s}. وبعد بقية الخطوات يكون حاصل ضرب {a} و {b} هو {n}.",
        "النتيجة هي {w}. انتظر، لقد أخطأت. النتيجة الصحيحة هي {n}.",
        "إذن حاصل الضرب هو \\boxed{{{n}}}.",
        "الإجابة ليست {w}.",
        "عذرًا، لا أستطيع حساب {a} × {b} بدون آلة حاسبة.",
        "الإجابة هي {n} أو {w}.",
    ),
    "th": Language(
        "คำตอบคือ {n}",
        "เมื่อคูณกันจะได้ {a} × {b} = {n}",
        "เราคูณ {a} ด้วย {b}\n\n**คำตอบ: {n}**",
        "ขั้นแรกคำนวณ {a} × 2 = {s} หลังจากขั้นตอนที่เหลือ ผลคูณของ {a} กับ {b} คือ {n}",
        "ผลลัพธ์คือ {w} เดี๋ยวก่อน ฉันคิดผิด ผลลัพธ์ที่ถูกต้องคือ {n}",
        "ดังนั้นผลคูณคือ \\boxed{{{n}}}",
        "คำตอบไม่ใช่ {w}",
        "ขออภัย ฉันไม่สามารถคำนวณ {a} × {b} ได้หากไม่มีเครื่องคิดเลข",
        "คำตอบคือ {n} หรือ {w}",
    ),
}
