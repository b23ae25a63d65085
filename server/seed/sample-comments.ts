import type { Emotion } from '@unsaid/contract';
import type { Language } from './sample-vents.ts';

/** Sample comments for a development database, by the kind of vent that they can stand under. */

type Kind =
  | 'any'
  | 'heavy'
  | 'tired'
  | 'worried'
  | 'angry'
  | 'glad'
  | 'exam'
  | 'work'
  | 'loss'
  | 'looks'
  | 'win';

export const kindsOfEmotion: Readonly<Record<Emotion, readonly Kind[]>> = {
  Happy: ['glad'],
  Sad: ['any', 'heavy'],
  Angry: ['any', 'angry'],
  Anxious: ['any', 'heavy', 'worried'],
  Neutral: ['any'],
  Burnout: ['any', 'heavy', 'tired'],
};

/** Comments that fit only where a hashtag says so. */
export const kindOfHashtag: Readonly<Record<string, Kind>> = {
  ...{ exams: 'exam', JEE: 'exam', NEET: 'exam', results: 'exam', परीक्षा: 'exam', 'drop year': 'exam' },
  ...{ work: 'work', 'night shift': 'work', काम: 'work', 'रात की शिफ़्ट': 'work' },
  ...{ grief: 'loss', breakup: 'loss', यादें: 'loss' },
  ...{ body: 'looks', 'small wins': 'win', 'first job': 'win' },
};

/** No comment of these kinds fits a vent of another emotion. */
export const emotionsOfKind: Readonly<Partial<Record<Kind, readonly Emotion[]>>> = {
  exam: ['Anxious', 'Sad', 'Burnout'],
  work: ['Burnout'],
  loss: ['Sad'],
  looks: ['Angry'],
  win: ['Happy'],
};

export const sampleComments: Readonly<Record<Language, Readonly<Record<Kind, readonly string[]>>>> = {
  en: {
    any: [
      'Thank you for writing this.',
      'I read this twice. I get it.',
      'Same here. Different city, same thing.',
      "You put into words what I couldn't.",
      "I'm listening.",
      'Not going to give advice. Just wanted you to know someone read the whole thing.',
      'This is so well said.',
      'Saving this one. Hope the rest of your day is kind to you.',
      'Okay, I felt this.',
      'How are you now?',
    ],
    heavy: [
      'Sending you a hug. Sleep if you can.',
      "I've been there. It took me about a year, and it did get lighter.",
      "You don't have to be okay about it yet.",
      "That's a lot for one person. Go easy on yourself today.",
      "I don't have the right words, but I'm sitting here with you for a minute.",
      "You're not too much. You're just tired and alone with it, and that's different.",
      'Please eat something warm. I know it sounds silly. It helped me.',
    ],
    tired: ['Resting is not quitting.', 'Even saying it out loud counts as putting something down.'],
    worried: [
      'My palms got sweaty reading this. You are not alone in that queue.',
      'One hour at a time. Sometimes ten minutes at a time.',
      'Breathe out longer than you breathe in. Old trick, works on buses too.',
      'Hoping it goes well. Tell us, either way.',
    ],
    angry: [
      "You're allowed to be angry about this.",
      "That was not okay, and it's not on you.",
      'I got angry on your behalf just now.',
      "You shouldn't have to be polite about it. I hope you get a place where you don't.",
      'Same thing happened to me at 22. I still practise my reply in the shower.',
    ],
    glad: [
      'This made my day. Thank you for sharing it.',
      'So happy for you!',
      'Grinning at my phone in the metro because of you.',
      'More of this, please.',
      'Needed to read something like this today.',
      'I read this out to my roommate.',
    ],
    exam: [
      'Whatever the number is, you still get to have dinner and sleep after it.',
      'I failed mine the first time and I have a job I like now. Took a longer road, saw more.',
      'Marks are loud for about two weeks. Then nobody asks. Promise.',
      'Hoping with you. Come back and tell us, either way.',
    ],
    work: [
      'Take the leave. The work will still be there, it always is.',
      'I was you last year. I asked for one week off and nothing collapsed.',
      "The job doesn't love you back. Your bed does.",
    ],
    loss: [
      'I lost mine two years back. Some days are still like this. Most days are softer now.',
      'Nobody tells you this part is so quiet, na? I remember.',
      'You loved properly. That’s why it hurts properly.',
    ],
    looks: [
      'The things people say with a plate of paneer in their hand. Unreal.',
      'Your face and your body are nobody’s group discussion.',
    ],
    win: ['You earned this one.', 'Small win? This is a big win.', 'Treat yourself. Something fried.'],
  },
  hinglish: {
    any: [
      'Same yaar.',
      'Padha maine poora. Achha likha hai.',
      'Lagta hai meri hi diary hai yeh.',
      'Bol diya na, achha kiya.',
      'Main bhi. Ek ek din.',
      'Kuch bolunga nahi, bas sun raha hoon.',
      'Ab kaisa lag raha hai?',
    ],
    heavy: [
      'Bahut saari jhappi tumhe.',
      'Akele nahi ho tum, sach mein.',
      'Rona aaye toh ro lo. Main bhi ro leti hoon kabhi kabhi bus mein.',
      'Time lagta hai yaar. Jitna lagna hai utna lagne do.',
      'Paani pi lo, thoda so jao. Subah thoda halka lagta hai.',
      'Mere saath bhi hua tha. Ab theek hoon. Tum bhi ho jaoge, jaldi nahi hai.',
    ],
    tired: [
      'Thak jaana galti nahi hai.',
      'Strong hone ka theka tumne akele nahi liya hai. Thoda baithne ka haq hai.',
    ],
    worried: ['Jo hoga dekha jayega, abhi khana kha lo.'],
    angry: [
      'Gussa aana banta hai.',
      'Padh ke mera khoon garam ho gaya.',
      'Unki soch unki problem, tumhari nahi.',
      'Kaash main wahan hoti, sunati achhe se.',
    ],
    glad: [
      'Padh ke muskurahat aa gayi.',
      'Nazar na lage.',
      'Yeh hui na baat!',
      'Dil khush kar diya.',
      'Bas aise hi chhoti chhoti khushiyan milti rahein.',
    ],
    exam: [
      'Mera bhi result aane wala hai. Saath mein dar lete hain.',
      'Result ke baad bhi shaam hogi, chai hogi. Pakka.',
      'Maine do baar diya tha, teesri baar hua. Der se hi sahi, hota hai.',
    ],
    work: ['Chhutti le le yaar, duniya nahi rukegi.', 'Aaj ke liye itna bahut hai. Laptop band.'],
    loss: ['Kuch log jaate hain, par unki baatein reh jaati hain. Sambhal ke rakhna.'],
    looks: ['Tumhara chehra, tumhari marzi. Baaki sab bekaar ki baatein.'],
    win: ['Arre waah! Party kab hai?', 'Bahut bahut badhai!'],
  },
  hi: {
    any: [
      'पूरा पढ़ा। लिखने के लिए शुक्रिया।',
      'सुन रही हूँ।',
      'यही मेरे साथ भी है।',
      'आपने वह कह दिया जो मैं कह नहीं पाता।',
      'अब कैसा लग रहा है?',
    ],
    heavy: [
      'आप अकेले नहीं हैं।',
      'एक झप्पी मेरी तरफ़ से।',
      'समय लगता है। जितना लगे, लगने दीजिए।',
      'आज बस इतना कीजिए कि खाना खा लीजिए। बाकी कल।',
      'मेरी भी आँख भर आई। अपना ध्यान रखिए।',
    ],
    tired: ['थकना गलती नहीं है।', 'थोड़ा बैठ जाइए। दुनिया दस मिनट रुक सकती है।', 'आज के लिए इतना काफ़ी है।'],
    worried: [
      'जो भी हो, उसके बाद भी घर पर चाय बनेगी।',
      'मुझे भी ऐसे ही डर लगता था। धीरे-धीरे कम हुआ।',
      'गहरी साँस लीजिए। एक-एक करके सब होगा।',
    ],
    angry: ['गुस्सा आना ठीक है।', 'गलती आपकी नहीं थी।', 'पढ़कर मुझे भी बुरा लगा। ऐसा नहीं होना चाहिए।'],
    glad: ['पढ़कर अच्छा लगा!', 'ऐसी बातें और लिखिए।', 'वाह, दिन बन गया।', 'चेहरे पर मुस्कान आ गई।'],
    exam: ['नंबर से बड़े हैं आप। सच में।', 'मेरा भी पेपर है। साथ में डर लेते हैं।'],
    work: ['एक दिन की छुट्टी ले लीजिए। काम कहीं नहीं जाएगा।'],
    loss: ['कुछ चीज़ें सँभालकर रखने के लिए ही होती हैं।'],
    looks: ['जो दिखता है, उससे कहीं ज़्यादा हैं आप।'],
    win: ['बहुत बधाई!', 'यह तो बड़ी जीत है!'],
  },
};

/** Comments of the vent's own author. They can stand before or after the answers of others. */
export const authorComments: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Update: slept a little, ate a little. Thank you for reading.',
    "Didn't think anyone would see this. Thank you.",
    'Feels lighter after writing it. Going to make tea now.',
    'Reading every reply. I may not answer all, but I read them.',
  ],
  hinglish: [
    'Padhne ke liye thank you yaar sabko.',
    'Thoda halka lag raha hai likh ke.',
    'Update: ab theek hoon, chai pi raha hoon.',
  ],
  hi: ['पढ़ने के लिए शुक्रिया।', 'लिखकर थोड़ा हल्का लग रहा है।'],
};
