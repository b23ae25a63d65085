/** The words of people.ts: cues, surnames and shape, never a list of all names. */

export const surnames =
  'agarwal aggarwal ahmed ahuja akhtar alam ali ansari arora arya asthana awasthi bajaj bajpai bakshi balakrishnan banerjee bansal batra begum bedi bhandari bharadwaj bhardwaj bhat bhatia bhatnagar bhatt bhattacharya biswas bisht bose chakraborty chandra chatterjee chaturvedi chaudhary chaudhuri chauhan chavan chopra choudhary choudhury das dasgupta datta dave dayal desai deshmukh deshpande devi dhaliwal dhawan dhillon dikshit dixit dubey dutt dutta dwivedi fernandes gaikwad gandhi ganguly garg george ghosh gill goel gomes goswami gowda goyal grewal gupta hegde hussain iqbal islam iyengar iyer jadhav jain jaiswal jha jindal joshi kadam kakkar kapadia kapoor kapur kaur kashyap kaul kaushik khan khandelwal khanna khatri khatun kothari krishnan kulkarni kumar kumari mahajan mahato maheshwari mahto majumdar malhotra malik mandal mathew mathur maurya meena mehra mehrotra mehta menon merchant mishra misra mittal modi mohanty mondal mukherjee murthy naidu naik nair narayan nayak negi nigam ojha pai pal panda pandey pandit pandya parmar paswan patel pathak pathan patil patnaik paul pawar pillai pinto prajapati prasad qureshi raghavan rahman rai raina rajan rajput raju ramachandran ramesh rana ranjan rane rao rastogi rathi rathod rathore raut rawat reddy rizvi roy sachdeva saha sahni sahoo sahu saini sandhu sarkar sawant saxena sehgal sen sengupta seth sethi shah shaikh shankar sharma sheikh shenoy shetty shinde shrivastava shukla siddiqui singh singhal singhania sinha solanki somani soni sood srinivasan srivastava subramaniam swamy syed tagore tandon thakkar thakur thapa thomas tiwari tomar tripathi trivedi tyagi upadhyay vaidya varma venkatesan verma vyas yadav ' +
  'agnihotri ahamad banarji chatarji chaube chaudhari chautala mukharji rathaud shekh saksena kuraishi dube ghosh ahirwar anand baghel barua bhadauria bhasin bhosale chandel chaurasia dubay gautam ghodke gurjar jatav joseph kasliwal khurana kushwaha lodhi manjhi mansoori more naidu nishad pachauri pandit parashar patidar qazi raghuvanshi rathaur sachan shekhawat sidiki siddique suryavanshi tanwar tirkey toppo valmiki vishwakarma wagh wankhede';

/** Everybody knows them: a first name with its surname. */
export const famous =
  'shah rukh,rukh khan,shah rukh khan,shahrukh khan,salman khan,aamir khan,saif khan,irrfan khan,virat kohli,rohit sharma,anushka sharma,kapil sharma,hardik pandya,rahul gandhi,indira gandhi,mahatma gandhi,sonia gandhi,priyanka gandhi,narendra modi,kumar vishwas,kishore kumar,akshay kumar,raj kumar,arijit singh,kabir singh,bhagat singh,diljit singh,ranveer singh,yuvraj singh,manmohan singh,honey singh,milkha singh,ranbir kapoor,kareena kapoor,shahid kapoor,shraddha kapoor,sonam kapoor,raj kapoor,karan johar,priyanka chopra,neeraj chopra,parineeti chopra,madhuri dixit,alia bhatt,mahesh bhatt,sonu nigam,neha kakkar,arundhati roy,rabindranath tagore,abhijit banerjee,mamata banerjee,rahul dravid,sushant rajput,singh rajput,vicky kaushal,pankaj tripathi,manoj bajpai,nawazuddin siddiqui,kartik aaryan,shreya ghoshal,satyajit ray,amrita pritam,jagjit singh,sunidhi chauhan,rajkumar rao,ashneer grover,sandeep maheshwari,alakh pandey,vikas divyakirti,udit narayan,yo singh';

/** Beside a name and a surname: somebody the writer knows. */
export const relations =
  'roommate roomie flatmate ex boss manager teacher professor prof sir maam madam warden landlord landlady girlfriend gf boyfriend bf friend bestie dost saheli yaar saas sasur cousin senior junior hr dr doctor principal dean hod neighbour neighbor padosi pados classmate batchmate colleague coworker crush fiance husband wife pati patni mr mrs ms miss shri smt tutor coach guide supervisor lead mentor रूममेट एक्स बॉस टीचर प्रोफेसर मैनेजर वार्डन दोस्त सहेली बॉयफ्रेंड गर्लफ्रेंड सास ससुर सर मैडम मास्टर डॉक्टर प्रिंसिपल सीनियर पति पत्नी मालिक पड़ोसी श्री श्रीमती मिसेज मिस्टर पूर्व प्रेमी प्रेमिका ठेकेदार पड़ोसन प्रधानाचार्य प्रधानाध्यापक इंचार्ज सुपरवाइजर मालकिन भाई partner incharge supervisor contractor thekedar premi profile uncle aunty chacha mama bhabhi jiju devar nanad bully stalker batch section';

/** After "my name is" or "mera naam": no name. */
export const noNames =
  'a an the not no never nothing nobody on in at last first called always just mud joke also so very my your his her what this that it being only from and but or hindu muslim indian tamil kisi kisiko koi kuch sab sabse list attendance lete lene leke lekar le likh likha likhna likhne mat nahi nahin nhi bhi hi to toh ke ki ka ko se me mein par pe kyu kya kaun kaise bhool bhul galat kharab badnam bada chota acha accha pata sun sunte sunke bulaya bulate yaad aaya aata aaye jab tab aur ya badla tha thi rakha rakho diya hai h roz kaha bola poora pura pehle class school today again wrong twice everywhere well properly out loud instead मेरा मेरी मेरे किसी को कोई कुछ सब मत नहीं है ने की का के में से पर तक भी ही तो और या क्या कौन याद लेकर लेते सुनकर रोज बदनाम खराब';

/** After "I am" or "main": common words that are no first names, before a word that is also a surname. */
export const plainWords =
  'a an the so very not just also only still really always never feeling from in at on with and but or my your her his bahut bohot sirf bas abhi ab hi bhi to toh aur ek koi kya nahi nahin roz din kal aaj phir fir ye yeh wo woh is us like love loves miss hate hates with एक और का की के को ने से में पर तो भी ही है यह वह कोई बहुत आज कल मेरा मेरी मेरे अपनी अपना करने वाली वाला';

export const institutes =
  'nit iit iiit bits aiims iim nift nlu xlri isb gmc cmc afmc kgmu dtu nsut lpu srm vit kiit manipal amity jnu du bhu amu jmi mit kv dps dav jnv tcs infosys wipro accenture genpact deloitte cognizant hcl capgemini techm kpmg ey pwc amazon flipkart swiggy zomato paytm byjus sbi hdfc icici axis lic allen fiitjee aakash college university vidyalaya vishwavidyalaya institute xavier xaviers stephens loyola lsr ram miranda hansraj hindu ramjas';

/** What narrows an institute to a few people. */
export const details =
  'year yr sem semester batch branch section roll cse cs ece eee it mech mechanical civil electrical electronics chemical mbbs bds bcom bba bca mba btech mtech bsc msc psych psychology commerce science arts first second third fourth final 1st 2nd 3rd 4th 9th 10th 11th 12th team floor desk payroll department dept campus wing topper monitor captain president saal sal varsh baich branch employee';

/** Streets and buildings. */
export const streets =
  'flat apartment apartments apts society residency tower towers block house makaan makan kothi gali galli road street marg nagar colony vihar enclave park sector phase layout lane chowk mohalla gurudwara mandir gate floor plot';

export const rollWords = 'roll rollno enrollment enrolment रोल एनरोलमेंट अनुक्रमांक id';
/** These only with a word for number. */
export const idOwners =
  'registration reg regn employee emp admission adm student staff scholar token pf कर्मचारी स्टाफ पीएफ';
export const idWords = 'no number id code नंबर आईडी संख्या';

export const platforms =
  'insta instagram ig snap snapchat telegram tg discord twitter fb facebook reddit threads whatsapp इंस्टा इंस्टाग्राम स्नैप टेलीग्राम';

/** 0 to 99 as they are spoken, by value; spellings that fold.ts makes equal once. Phone numbers are said in pairs. */
export const spokenNumbers =
  '0 shunya jiro|1 ek|2 do|3 teen tin|4 chaar char|5 paanch panch pach|6 chhe che chah|7 saat sat|8 aath ath|9 nau|10 das|11 gyarah gyara igyarah|12 barah baarah bara|13 terah tera|14 chaudah choudah chauda|15 pandrah pandra|16 solah sola|17 satrah satra|18 atharah athara attharah|19 unnis unnees|20 bis bees|21 ikkis ikkees|22 bais baees|23 teis tees teyis|24 chaubis chobis|25 pachchis pachis pacchis|26 chhabbis chabbis|27 sattais satais|28 atthais athais|29 untis unattis untees|30 tis tees|31 ikattis|32 battis|33 taintis|34 chauntis|35 paintis|36 chhattis|37 saintis|38 adtis|39 untalis|40 chalis|41 iktalis|42 bayalis|43 taintalis|44 chauvalis|45 paintalis|46 chhiyalis|47 saintalis|48 adtalis|49 unchas|50 pachas|51 ikyavan|52 bavan|53 tirpan|54 chauvan|55 pachpan|56 chhappan|57 sattavan|58 atthavan|59 unsath|60 sath|61 iksath|62 basath|63 tirsath|64 chaunsath|65 painsath|66 chhiyasath|67 sadsath|68 adsath|69 unhattar|70 sattar|71 ikhattar|72 bahattar|73 tihattar|74 chauhattar|75 pachhattar|76 chhihattar|77 sathattar|78 athhattar|79 unasi|80 assi|81 ikyasi|82 bayasi|83 tirasi|84 chaurasi|85 pachasi|86 chhiyasi|87 satasi|88 athasi|89 navasi|90 nabbe navve|91 ikyanve ikyanave|92 banve banave|93 tiranve tiranave|94 chauranve chauranave|95 panchanve pachanve panchanave|96 chhiyanve chiyanve|97 sattanve satanve|98 atthanve attanve athanve attanave|99 ninyanve ninyanave ninanve';
